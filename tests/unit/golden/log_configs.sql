-- Hooks, grants, comment, properties and location
--   read_schemas, read_tables, read_layout, read_layout, read_tables, read_layout, read_layout,
--   hook, read_explain, read_properties, read_describe_history, read_describe_query, read_schemas,
--   read_catalog, start_log, read_log_row, register_log, read_log_row, grants, hook
-- told: START v2: first capture

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

-- 8. hook
select 'before'
;

-- 9. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from shop.orders
) where false
;

-- 10. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 11. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 12. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, amount from shop.orders version as of 2
;

-- 13. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop'
;

-- 14. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'orders_log'
;

-- 15. start_log
/* dbt_mview step=start_log job=5c1c1601f9020b40d5544e4e60f9d0d8 */
create or replace table `shop`.`orders_log`
using delta
partitioned by (_commit_version)
location '/data/orders_log'
comment 'All changes'
tblproperties (
    'owner' = 'me', 'delta.enableChangeDataFeed' = 'false', 'dbt_mview.kind' = 'materialized_view_log',
    'dbt_mview.mlog' = '{"base": "spark_catalog.shop.orders", "start": {"version": 2, "commit_time": 1709253000000000}, "gap": "first capture"}'
)
options ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.orders_log", "capture_job_id": "5c1c1601f9020b40d5544e4e60f9d0d8", "began": {"version": 2, "commit_time": 1709253000000000}, "captured": {"version": 2, "commit_time": 1709253000000000}}}')
as
select
    cast(`customer` as string) as `customer`, `amount`,
    cast(null as string) as _change_type,
    cast(null as bigint) as _commit_version,
    cast(null as timestamp) as _commit_timestamp
from `spark_catalog`.`shop`.`orders`
where false
;

-- 16. read_log_row
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

-- 17. register_log
/* dbt_mview step=register_log job=5c1c1601f9020b40d5544e4e60f9d0d8 */
-- retried as in retry_on_conflict.sql:
merge into `shop_mview`.`mlog_purge_info` as t
using (select 'spark_catalog.shop.orders_log' as mlog_id, 'spark_catalog.shop.orders' as base) as s
on t.mlog_id = s.mlog_id and t.mlog_id = 'spark_catalog.shop.orders_log'
when matched then update set base = s.base
when not matched then insert (mlog_id, base) values (s.mlog_id, s.base)
;

-- 18. read_log_row
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

-- 19. grants
shop.orders_log: {"select": ["ann"]} revoke=True
;

-- 20. hook
select 'after'
;
