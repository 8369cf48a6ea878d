insert into `shop`.`log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "spark_catalog.shop.a", "capture_job_id": "job1", "began": {"version": 1, "commit_time": 3}, "captured": {"version": 9, "commit_time": 12}}}') (`a`, `b`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `a`, `b`, _change_type, _commit_version, _commit_timestamp
from table_changes('`spark_catalog`.`shop`.`a`', 5, 9)
where
    not exists (
        select 1 from `shop`.`log` as logged
        where logged._commit_version > 4
    )
