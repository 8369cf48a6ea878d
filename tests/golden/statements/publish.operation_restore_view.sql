/* dbt_mview step=publish job=c91afd33cacea8ec1618fa1bbd7a3fc4 */
insert into `shop`.`totals`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "c91afd33cacea8ec1618fa1bbd7a3fc4", "lock_token": 3, "method": "complete", "reason": "restored from v0 of 2024-03-01 12:00:00Z", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 2, "commit_time": 1709253000000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000003"}}',
    'txnAppId' = 'dbt_mview:spark_catalog.shop.totals',
    'txnVersion' = '3',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
select `customer`, `total`
from (
select * from `shop`.`totals` version as of 0
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
            and refresh_job_id = 'c91afd33cacea8ec1618fa1bbd7a3fc4'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
end
