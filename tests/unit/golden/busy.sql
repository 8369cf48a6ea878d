-- Another run holds the lock: NOWAIT, nothing is written
--   read_schemas, read_tables, read_layout, read_layout, read_clock, read_state, read_state,
--   read_explain, read_catalog, read_describe_history, read_properties, read_describe_history

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

-- 5. read_clock
/* dbt_mview step=clock */
select unix_micros(current_timestamp()) as micros, current_timezone() as zone, typeof(coalesce(1, '1')) as common_type, current_timestamp() as now, timestamp_micros(1704110400000000) as winter, timestamp_micros(1719835200000000) as summer
;

-- 6. read_state
/* dbt_mview step=state */
select
    mview_id,
    definition,
    definition_hash,
    spec,
    to_json(transform(sources, s -> named_struct(
        'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
        'commit_time', unix_micros(s.commit_time)
    )), map('ignoreNullFields', 'false')) as sources,
    unix_micros(last_successful_refresh_read_time) as last_successful_refresh_read_time,
    last_refresh_result,
    last_refresh_type,
    unix_micros(last_refresh_time) as last_refresh_time,
    last_refresh_failed_reason,
    target_version,
    unix_micros(next_time) as next_time,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    refresh_job_id,
    intent,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    coalesce(lease_until < current_timestamp(), true) as lease_over
from `shop_mview`.`mview_refresh_info`
;

-- 7. read_state
/* dbt_mview step=state */
select
    mview_id,
    definition,
    definition_hash,
    spec,
    to_json(transform(sources, s -> named_struct(
        'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
        'commit_time', unix_micros(s.commit_time)
    )), map('ignoreNullFields', 'false')) as sources,
    unix_micros(last_successful_refresh_read_time) as last_successful_refresh_read_time,
    last_refresh_result,
    last_refresh_type,
    unix_micros(last_refresh_time) as last_refresh_time,
    last_refresh_failed_reason,
    target_version,
    unix_micros(next_time) as next_time,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    refresh_job_id,
    intent,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    coalesce(lease_until < current_timestamp(), true) as lease_over
from `shop_mview`.`mview_refresh_info`
where mview_id in ('spark_catalog.shop.totals')
;

-- 8. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, sum(amount) as total from shop.orders group by customer
) where false
;

-- 9. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 10. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 11. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 12. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;
