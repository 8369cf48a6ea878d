-- First capture: feed on, an empty log, registered
--   read_schemas, ensure_state, read_extensions, read_place, ensure_state, ensure_state,
--   read_extensions, read_place, ensure_state, ensure_state, read_explain, read_properties,
--   read_describe_history, read_describe_query, read_schemas, read_catalog, switch_feed_on,
--   read_properties, read_describe_history, start_log, read_log_row, register_log, read_log_row,
--   grants
-- told: START v3: first capture
-- told: dbt_mview: makes its schema shop_mview, on the first run here. docs/operations.md says what an error now means.
-- told: dbt_mview: switched the change data feed of spark_catalog.shop.orders on, for the materialized view log spark_catalog.shop.orders_log

-- 1. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop_mview'
;

-- 2. ensure_state
/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create schema if not exists `shop_mview`
;

-- 3. read_extensions
/* dbt_mview step=extensions */
select '${spark.sql.extensions}' as extensions
;

-- 4. read_place
/* dbt_mview step=place */
describe schema `shop_mview`
;

-- 5. ensure_state
/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mview_refresh_info` (
    mview_id string,
    definition string,
    definition_hash string,
    spec string,
    sources array<struct<relation: string, table_id: string, version: bigint, commit_time: timestamp>>,
    last_successful_refresh_read_time timestamp,
    last_refresh_result string,
    last_refresh_type string,
    last_refresh_time timestamp,
    last_refresh_failed_reason string,
    target_version bigint,
    next_time timestamp,
    lock_owner string,
    lock_token bigint,
    lock_time timestamp,
    lease_until timestamp,
    refresh_job_id string,
    intent string,
    schedule string,
    failures bigint,
    retry_time timestamp,
    paused_time timestamp
)
using delta
partitioned by (mview_id)
tblproperties (
    'dbt_mview.layout' = '5',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingStatsColumns' = 'schedule,next_time,retry_time,failures,lease_until,paused_time,last_refresh_time'
)
;

-- 6. ensure_state
/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mview_refresh_hist` (
    refresh_job_id string,
    mview_id string,
    refresh_method string,
    refresh_reason string,
    refresh_time timestamp,
    refresh_endtime timestamp,
    refresh_rows bigint,
    refresh_status string,
    refresh_failed_reason string,
    sources array<struct<relation: string, table_id: string, version: bigint, commit_time: timestamp>>,
    invocation_id string,
    refresh_group string
)
using delta
partitioned by (mview_id)
tblproperties (
    'dbt_mview.layout' = '5',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingNumIndexedCols' = '0'
)
;

-- 7. read_extensions
/* dbt_mview step=extensions */
select '${spark.sql.extensions}' as extensions
;

-- 8. read_place
/* dbt_mview step=place */
describe schema `shop_mview`
;

-- 9. ensure_state
/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mlog_purge_info` (
    mlog_id string,
    base string,
    next_time timestamp,
    last_purged_version bigint,
    lock_owner string,
    lock_token bigint,
    lock_time timestamp,
    lease_until timestamp,
    schedule string,
    failures bigint,
    retry_time timestamp,
    paused_time timestamp
)
using delta
partitioned by (mlog_id)
tblproperties (
    'dbt_mview.layout' = '5',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingStatsColumns' = 'schedule,next_time,retry_time,failures,lease_until,paused_time'
)
;

-- 10. ensure_state
/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mlog_purge_hist` (
    purge_job_id string,
    mlog_id string,
    purge_method string,
    purge_time timestamp,
    purge_endtime timestamp,
    purge_rows bigint,
    purge_status string,
    purge_failed_reason string
)
using delta
partitioned by (mlog_id)
tblproperties (
    'dbt_mview.layout' = '5',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingNumIndexedCols' = '0'
)
;

-- 11. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from shop.orders
) where false
;

-- 12. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 13. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 14. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, amount from shop.orders version as of 2
;

-- 15. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop'
;

-- 16. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'orders_log'
;

-- 17. switch_feed_on
/* dbt_mview step=switch_feed_on job=5c1c1601f9020b40d5544e4e60f9d0d8 */
alter table `spark_catalog`.`shop`.`orders` set tblproperties ('delta.enableChangeDataFeed' = 'true')
;

-- 18. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 19. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 20. start_log
/* dbt_mview step=start_log job=5c1c1601f9020b40d5544e4e60f9d0d8 */
create or replace table `shop`.`orders_log`
using delta
partitioned by (_commit_version)
tblproperties (
    'delta.enableChangeDataFeed' = 'false', 'dbt_mview.kind' = 'materialized_view_log',
    'dbt_mview.mlog' = '{"base": "spark_catalog.shop.orders", "start": {"version": 3, "commit_time": 1709294400000000}, "gap": "first capture"}'
)
options ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.orders_log", "capture_job_id": "5c1c1601f9020b40d5544e4e60f9d0d8", "began": {"version": 3, "commit_time": 1709294400000000}, "captured": {"version": 3, "commit_time": 1709294400000000}}}')
as
select
    cast(`customer` as string) as `customer`, `amount`,
    cast(null as string) as _change_type,
    cast(null as bigint) as _commit_version,
    cast(null as timestamp) as _commit_timestamp
from `spark_catalog`.`shop`.`orders`
where false
;

-- 21. read_log_row
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

-- 22. register_log
/* dbt_mview step=register_log job=5c1c1601f9020b40d5544e4e60f9d0d8 */
-- retried as in retry_on_conflict.sql:
merge into `shop_mview`.`mlog_purge_info` as t
using (select 'spark_catalog.shop.orders_log' as mlog_id, 'spark_catalog.shop.orders' as base) as s
on t.mlog_id = s.mlog_id and t.mlog_id = 'spark_catalog.shop.orders_log'
when matched then update set base = s.base
when not matched then insert (mlog_id, base) values (s.mlog_id, s.base)
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
