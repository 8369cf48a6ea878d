/* dbt_mview step=publish job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
insert into `shop`.`totals`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "9b1ad6f0a4bab59c3076cf23fdce84e5", "lock_token": 2, "method": "complete", "reason": "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed (alter table shop.orders set tblproperties (\'delta.enableChangeDataFeed\' = \'true\')): shop.orders", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000002"}}',
    'txnAppId' = 'dbt_mview:spark_catalog.shop.totals',
    'txnVersion' = '2',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
select `customer`, `total`
from `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'spark_catalog.shop.totals'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
end
