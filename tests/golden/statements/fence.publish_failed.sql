/* dbt_mview step=fence job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
alter table `shop`.`totals` set tblproperties ('dbt_mview.fence' = '2')
;
        select 'done' as outcome;
    end;
end
