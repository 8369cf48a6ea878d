create or replace table `shop`.`totals`
using delta
partitioned by (`it's`)
location '/data/it\'s/totals'
comment 'About it\'s'
tblproperties ('key it\'s' = 'it\'s', 'delta.enableChangeDataFeed' = 'true', 'delta.constraints.c_it\'s' = 'a <> 4')
options ('userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "job1", "lock_token": 3, "method": "complete", "reason": "first build", "started": 1, "read_time": 2, "sources": [], "definition_hash": "h", "invocation_id": "run1"}}')
as
select cast(`a` as string) as `a`, `b`
from (
select a, b from shop.orders version as of 2
)
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'spark_catalog.shop.totals'
            and lock_token = 3
            and lock_owner is not null
            and refresh_job_id = 'job1'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
end
