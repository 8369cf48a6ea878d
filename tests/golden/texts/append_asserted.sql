insert into `shop`.`totals`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "job1", "lock_token": 3, "method": "fast", "reason": "shop.orders v2 -> v3", "started": 1, "read_time": 2, "sources": [], "definition_hash": "h", "invocation_id": "run1"}}',
    'txnAppId' = 'dbt_mview:spark_catalog.shop.totals',
    'txnVersion' = '3'
)
select `k`, `s`
from (
select `k`, `s`, case
    when spark_partition_id() < 0 then null
    when true and not coalesce((
n > 0 -- some
    ), false) then raise_error('dbt_mview: spark_catalog.shop.totals: audit failed: n > 0 -- some (not met). Nothing was published, the view keeps its last result.')
    when true and not coalesce((
k <> 'a'
    ), false) then raise_error('dbt_mview: spark_catalog.shop.totals: audit failed: k <> \'a\' (not met). Nothing was published, the view keeps its last result.')
    else true
end as _mview_met
from (
select `k`, cast(`s` as string) as `s`, 1 as _mview_sign
from (
select k, s from came -- new
)
)
)
where _mview_met
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
