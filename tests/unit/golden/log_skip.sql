-- Nothing was committed: nothing is written
--   read_schemas, read_tables, read_layout, read_layout, read_tables, read_layout, read_layout,
--   read_explain, read_properties, read_describe_history, read_describe_query, read_schemas,
--   read_catalog, read_describe_history, read_properties, read_describe_query, read_log_row, grants
-- told: SKIP nothing changed since v2

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
select customer, amount from shop.orders version as of 2
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

-- 17. read_log_row
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

-- 18. grants
shop.orders_log: {} revoke=True
;
