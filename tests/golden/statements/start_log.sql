/* dbt_mview step=start_log job=20f1ea5b89b0d23c3ed661f6f3145e80 */
create or replace table `main`.`shop`.`orders_log`
using delta
partitioned by (_commit_version)
tblproperties (
    'delta.enableChangeDataFeed' = 'false', 'dbt_mview.kind' = 'materialized_view_log',
    'dbt_mview.mlog' = '{"base": "main.shop.orders", "start": {"version": 2, "commit_time": 1709294400000000}, "gap": "first capture"}'
)
options ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "20f1ea5b89b0d23c3ed661f6f3145e80", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 2, "commit_time": 1709294400000000}}}')
as
select
    cast(`customer` as string) as `customer`, `amount`,
    cast(null as string) as _change_type,
    cast(null as bigint) as _commit_version,
    cast(null as timestamp) as _commit_timestamp
from `main`.`shop`.`orders`
where false
