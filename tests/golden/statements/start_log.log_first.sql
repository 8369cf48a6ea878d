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
