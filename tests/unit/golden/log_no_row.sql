-- No row came: noted as a property of the log
--   read_schemas, read_tables, read_layout, read_layout, read_tables, read_layout, read_layout,
--   read_explain, read_properties, read_describe_history, read_describe_query, read_schemas,
--   read_catalog, read_describe_history, read_properties, read_describe_query, capture,
--   read_describe_history, read_describe_history, read_properties, read_last_logged, note_capture,
--   read_log_row, grants
-- told: CAPTURE v4, 0 rows: v3 -> v4

-- 1. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop_mview'
;

-- 2. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mview_refresh_*|mview_stage_*'
;

-- 3. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_info`
;

-- 4. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_hist`
;

-- 5. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mlog_purge_*'
;

-- 6. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mlog_purge_info`
;

-- 7. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mlog_purge_hist`
;

-- 8. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from shop.orders
) where false
;

-- 9. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 10. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 11. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, amount from shop.orders version as of 4
;

-- 12. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop'
;

-- 13. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'orders_log'
;

-- 14. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`orders_log` limit 20
;

-- 15. read_properties
/* dbt_mview step=properties */
show tblproperties `shop`.`orders_log`
;

-- 16. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `shop`.`orders_log`
;

-- 17. capture
/* dbt_mview step=capture job=2255ad8745c8ad54f9a6d0dd935ab2ce */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;

begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                insert into `shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.orders_log", "capture_job_id": "2255ad8745c8ad54f9a6d0dd935ab2ce", "began": {"version": 2, "commit_time": 1709253000000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`spark_catalog`.`shop`.`orders`', 4, 4)
where
    not exists (
        select 1 from `shop`.`orders_log` as logged
        where logged._commit_version > 3
    );
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            insert into `shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.orders_log", "capture_job_id": "2255ad8745c8ad54f9a6d0dd935ab2ce", "began": {"version": 2, "commit_time": 1709253000000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`spark_catalog`.`shop`.`orders`', 4, 4)
where
    not exists (
        select 1 from `shop`.`orders_log` as logged
        where logged._commit_version > 3
    );
        end if;
    end;
    insert into `shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.orders_log", "capture_job_id": "2255ad8745c8ad54f9a6d0dd935ab2ce", "began": {"version": 2, "commit_time": 1709253000000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`spark_catalog`.`shop`.`orders`', 4, 4)
where
    not exists (
        select 1 from `shop`.`orders_log` as logged
        where logged._commit_version > 3
    );
end
;
        select 'done' as outcome;
    end;
end
;

-- 18. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`orders_log` limit 20
;

-- 19. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`orders_log` limit 20
;

-- 20. read_properties
/* dbt_mview step=properties */
show tblproperties `shop`.`orders_log`
;

-- 21. read_last_logged
/* dbt_mview step=last_logged */
select
    max(_commit_version) as version,
    unix_micros(max_by(_commit_timestamp, _commit_version)) as commit_time
from `shop`.`orders_log` version as of 1
;

-- 22. note_capture
/* dbt_mview step=note_capture job=2255ad8745c8ad54f9a6d0dd935ab2ce */
alter table `shop`.`orders_log` set tblproperties ('dbt_mview.captured' = '{"base": "spark_catalog.shop.orders", "began": {"version": 2, "commit_time": 1709253000000000}, "captured": {"version": 4, "commit_time": 1709253660000000}, "log_version": 1}')
;

-- 23. read_log_row
/* dbt_mview step=log_row */
select
    base,
    unix_micros(next_time) as next_time,
    last_purged_version,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    coalesce(lease_until < current_timestamp(), true) as lease_over
from `shop_mview`.`mlog_purge_info`
where mlog_id = 'spark_catalog.shop.orders_log'
;

-- 24. grants
shop.orders_log: {} revoke=True
;
