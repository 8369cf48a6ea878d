/* dbt_mview step=version */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
select 1 from `spark_catalog`.`shop`.`totals` version as of 0 where false
;
        select 'done' as outcome;
    end;
end
