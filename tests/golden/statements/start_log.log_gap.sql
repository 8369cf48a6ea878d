/* dbt_mview step=start_log job=85df027d0aad9fd75efb0f08f9c49141 */
create or replace table `shop`.`orders_log`
using delta
partitioned by (_commit_version)
tblproperties (
    'delta.enableChangeDataFeed' = 'false', 'dbt_mview.kind' = 'materialized_view_log',
    'dbt_mview.mlog' = '{"base": "spark_catalog.shop.orders", "start": {"version": 6, "commit_time": 1709254800000000}, "gap": "CHANGE_DATA_UNAVAILABLE: removed by VACUUM"}'
)
options ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.orders_log", "capture_job_id": "85df027d0aad9fd75efb0f08f9c49141", "began": {"version": 6, "commit_time": 1709254800000000}, "captured": {"version": 6, "commit_time": 1709254800000000}}}')
as
select
    cast(`customer` as string) as `customer`, `amount`,
    cast(null as string) as _change_type,
    cast(null as bigint) as _commit_version,
    cast(null as timestamp) as _commit_timestamp
from `spark_catalog`.`shop`.`orders`
where false
