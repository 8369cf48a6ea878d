/* dbt_mview step=purge_batch job=9f11cfaaf876d5f46c9d9cb4e37f4580 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
delete from `main`.`shop`.`orders_log`
where _commit_version <= 4
    and cast(_commit_version as string) <> '9f11cfaaf876d5f46c9d9cb4e37f4580-0'
;
        select 'done' as outcome;
    end;
end
