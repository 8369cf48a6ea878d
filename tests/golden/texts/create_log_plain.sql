create or replace table `shop`.`log`
using delta
partitioned by (_commit_version)
tblproperties (
    'dbt_mview.kind' = 'materialized_view_log',
    'dbt_mview.mlog' = '{"base": "c.s.it\'s", "start": {"version": 9, "commit_time": 12}, "gap": "it\'s"}'
)
options ('userMetadata' = '{"dbt_mview": {"mlog_id": "c.s.it\'s", "capture_job_id": "job1", "began": {"version": 9, "commit_time": 12}, "captured": {"version": 9, "commit_time": 12}}}')
as
select
    cast(`it's` as string) as `it's`, `b`,
    cast(null as string) as _change_type,
    cast(null as bigint) as _commit_version,
    cast(null as timestamp) as _commit_timestamp
from `shop`.`orders`
where false
