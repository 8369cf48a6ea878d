-- A capture, COMPLETE, a group that is COMPLETE
--   read_explain, read_properties, read_describe_history, read_describe_query, read_catalog,
--   read_describe_history, read_properties, read_describe_query, capture, read_catalog,
--   read_describe_history, read_describe_query, publish, read_describe_history, publish
-- told: CAPTURE v4, 5 rows: v2 -> v4
-- told: COMPLETE v1, 3 rows: shop.orders v2 -> v4
-- told: STAGED COMPLETE for refresh_group sales: shop.orders v2 -> v4
-- told: COMPLETE v1, 3 rows: shop.orders v2 -> v4

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
select customer, amount from main.shop.orders version as of 4
;

-- 5. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'orders_log'
;

-- 6. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders_log` limit 20
;

-- 7. read_properties
/* dbt_mview step=properties */
show tblproperties `main`.`shop`.`orders_log`
;

-- 8. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `main`.`shop`.`orders_log`
;

-- 9. capture
/* dbt_mview step=capture job=5d3c14a09b4cf38128aa28a975fba9e0 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;

begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                insert into `main`.`shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "5d3c14a09b4cf38128aa28a975fba9e0", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`main`.`shop`.`orders`', 3, 4)
where
    not exists (
        select 1 from `main`.`shop`.`orders_log` as logged
        where logged._commit_version > 2
    );
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            insert into `main`.`shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "5d3c14a09b4cf38128aa28a975fba9e0", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`main`.`shop`.`orders`', 3, 4)
where
    not exists (
        select 1 from `main`.`shop`.`orders_log` as logged
        where logged._commit_version > 2
    );
        end if;
    end;
    insert into `main`.`shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "5d3c14a09b4cf38128aa28a975fba9e0", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`main`.`shop`.`orders`', 3, 4)
where
    not exists (
        select 1 from `main`.`shop`.`orders_log` as logged
        where logged._commit_version > 2
    );
end
;
        select 'done' as outcome;
    end;
end
;

-- 10. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'totals'
;

-- 11. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`totals` limit 20
;

-- 12. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `main`.`shop`.`totals`
;

-- 13. publish
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
;

-- 14. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`totals` limit 10
;

-- 15. publish
/* dbt_mview step=publish job=d8ec5692813dd9b856bff4319a577a1e */
insert into `main`.`shop`.`one`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "main.shop.one", "refresh_job_id": "d8ec5692813dd9b856bff4319a577a1e", "lock_token": 2, "method": "complete", "reason": "shop.orders v2 -> v4", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "main.shop.orders", "table_id": "t-1", "version": 4, "commit_time": 1709253660000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000040"}}',
    'txnAppId' = 'dbt_mview:main.shop.one',
    'txnVersion' = '2',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
select `customer`, `total`
from `shop_mview`.`mview_stage_d8ec5692813dd9b856bff4319a577a1e`
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'main.shop.one'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = 'd8ec5692813dd9b856bff4319a577a1e'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of main.shop.one, nothing was published by this one')
end
;
