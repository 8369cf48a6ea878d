-- A log, a view, a group of two: first builds
--   read_explain, read_properties, read_describe_history, read_describe_query, read_catalog,
--   switch_feed_on, start_log, read_catalog, read_describe_detail, publish, read_describe_history
-- told: START v2: first capture
-- told: COMPLETE v0, 3 rows: first build
-- told: COMPLETE v0, 3 rows: first build
-- told: COMPLETE v0, 3 rows: first build
-- told: dbt_mview: makes its schema shop_mview, on the first run here. docs/operations.md says what an error now means.
-- told: dbt_mview: switched the change data feed of main.shop.orders on, for the materialized view log main.shop.orders_log

-- 1. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from main.shop.orders
) where false
;

-- 2. read_properties
/* dbt_mview step=properties */
show tblproperties `main`.`shop`.`orders`
;

-- 3. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders` limit 10
;

-- 4. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, amount from main.shop.orders version as of 1
;

-- 5. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'orders_log'
;

-- 6. switch_feed_on
/* dbt_mview step=switch_feed_on job=20f1ea5b89b0d23c3ed661f6f3145e80 */
alter table `main`.`shop`.`orders` set tblproperties ('delta.enableChangeDataFeed' = 'true')
;

-- 7. start_log
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
;

-- 8. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'totals'
;

-- 9. read_describe_detail
/* dbt_mview step=describe_detail */
describe detail `main`.`shop`.`orders`
;

-- 10. publish
/* dbt_mview step=publish job=5db1e89dc0b7d77bf5366d9b2c4702c0 */
create or replace table `main`.`shop`.`totals`
using delta
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
;

-- 11. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`totals` limit 10
;
