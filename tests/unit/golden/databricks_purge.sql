-- mlog_purge of what all views have read
--   read_schemas, read_catalog, read_describe_history, read_properties, read_is_there, note_purge,
--   read_describe_detail, purge_batch
-- told: dbt_mview: main.shop.orders_log: batch 1, 5 rows in 2 files, up to v4 of v4

-- 1. read_schemas
/* dbt_mview step=schemas */
show schemas in `main` like 'shop'
;

-- 2. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'orders_log'
;

-- 3. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders_log` limit 20
;

-- 4. read_properties
/* dbt_mview step=properties */
show tblproperties `main`.`shop`.`orders_log`
;

-- 5. read_is_there
/* dbt_mview step=is_there */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
select 1 from `main`.`shop`.`orders` where false
;
        select 'done' as outcome;
    end;
end
;

-- 6. note_purge
/* dbt_mview step=note_purge job=9f11cfaaf876d5f46c9d9cb4e37f4580 */
alter table `main`.`shop`.`orders_log` set tblproperties ('dbt_mview.purged' = '{"base": "main.shop.orders", "began": {"version": 2, "commit_time": 1709294400000000}, "start": {"version": 4, "commit_time": 1709253660000000}}')
;

-- 7. read_describe_detail
/* dbt_mview step=describe_detail */
describe detail `main`.`shop`.`orders_log`
;

-- 8. purge_batch
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
;
