/* dbt_mview step=publish job=5db1e89dc0b7d77bf5366d9b2c4702c0 */
create or replace table `main`.`shop`.`totals`
using delta
tblproperties ('delta.enableChangeDataFeed' = 'true')
options ('userMetadata' = '{"dbt_mview": {"mview_id": "main.shop.totals", "refresh_job_id": "5db1e89dc0b7d77bf5366d9b2c4702c0", "lock_token": 1, "method": "complete", "reason": "first build", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "main.shop.orders", "table_id": "t-1", "version": 2, "commit_time": 1709294400000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000001"}}')
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 2 group by customer
)
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'main.shop.totals'
            and lock_token = 1
            and lock_owner is not null
            and refresh_job_id = '5db1e89dc0b7d77bf5366d9b2c4702c0'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of main.shop.totals, nothing was published by this one')
end
