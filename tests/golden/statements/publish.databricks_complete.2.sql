/* dbt_mview step=publish job=d9b0a944f9962ef8d5b47e6339c0d3b6 */
insert into `main`.`shop`.`totals`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "main.shop.totals", "refresh_job_id": "d9b0a944f9962ef8d5b47e6339c0d3b6", "lock_token": 2, "method": "complete", "reason": "shop.orders v2 -> v4", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "main.shop.orders", "table_id": "t-1", "version": 4, "commit_time": 1709253660000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000040"}}',
    'txnAppId' = 'dbt_mview:main.shop.totals',
    'txnVersion' = '2',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
select `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 4 group by customer
)
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'main.shop.totals'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = 'd9b0a944f9962ef8d5b47e6339c0d3b6'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of main.shop.totals, nothing was published by this one')
end
