-- A refresh group: staged, decided, published
--   read_schemas, read_tables, read_layout, read_layout, read_clock, read_state, read_explain,
--   read_catalog, read_describe_history, read_properties, read_describe_history, acquire,
--   read_describe_query, read_describe_query, read_functions, read_tables, stage, grants,
--   read_explain, read_catalog, read_describe_history, acquire, read_describe_query,
--   read_describe_query, stage, grants, decide, publish, read_describe_history, sweep, publish,
--   read_describe_history, sweep, record, record
-- told: STAGED COMPLETE for refresh_group sales: shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders
-- told: COMPLETE v1, 3 rows: shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders

-- 1. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop_mview'
;

-- 2. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mview_refresh_*|mview_stage_*'
;

-- 3. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_info`
;

-- 4. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_hist`
;

-- 5. read_clock
/* dbt_mview step=clock */
select unix_micros(current_timestamp()) as micros, current_timezone() as zone, typeof(coalesce(1, '1')) as common_type, current_timestamp() as now, timestamp_micros(1704110400000000) as winter, timestamp_micros(1719835200000000) as summer
;

-- 6. read_state
/* dbt_mview step=state */
select
    mview_id,
    definition,
    definition_hash,
    spec,
    to_json(transform(sources, s -> named_struct(
        'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
        'commit_time', unix_micros(s.commit_time)
    )), map('ignoreNullFields', 'false')) as sources,
    unix_micros(last_successful_refresh_read_time) as last_successful_refresh_read_time,
    last_refresh_result,
    last_refresh_type,
    unix_micros(last_refresh_time) as last_refresh_time,
    last_refresh_failed_reason,
    target_version,
    unix_micros(next_time) as next_time,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    refresh_job_id,
    intent,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    coalesce(lease_until < current_timestamp(), true) as lease_over
from `shop_mview`.`mview_refresh_info`
;

-- 7. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, sum(amount) as total from shop.orders group by customer
) where false
;

-- 8. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 9. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 10. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 11. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 12. acquire
/* dbt_mview step=acquire job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mview_refresh_info`
    set
        lock_owner = case
            when lock_token = 1 and (
                lock_owner is null or lease_until < current_timestamp()
            ) then '0a1b2c3d-0000-4000-8000-000000000002'
            else raise_error('busy')
        end,
        lock_token = 2,
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600),
        last_refresh_result = 'running',
        refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5',
        intent = '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"]}'
    where mview_id = 'spark_catalog.shop.totals';
    select 'acquired' as outcome;
end
;

-- 13. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
;

-- 14. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `shop`.`totals`
;

-- 15. read_functions
/* dbt_mview step=functions */
show system functions
;

-- 16. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mlog_purge_info'
;

-- 17. stage
/* dbt_mview step=stage job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
create or replace table `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
using delta
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
)
;

-- 18. grants
shop.totals: {} revoke=True
;

-- 19. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, sum(amount) as total from shop.orders group by customer
) where false
;

-- 20. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'sums'
;

-- 21. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`sums` limit 20
;

-- 22. acquire
/* dbt_mview step=acquire job=6e48a59bdb403f0a3d89ffd5a7cfae51 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mview_refresh_info`
    set
        lock_owner = case
            when lock_token = 1 and (
                lock_owner is null or lease_until < current_timestamp()
            ) then '0a1b2c3d-0000-4000-8000-000000000002'
            else raise_error('busy')
        end,
        lock_token = 2,
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600),
        last_refresh_result = 'running',
        refresh_job_id = '6e48a59bdb403f0a3d89ffd5a7cfae51',
        intent = '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "sums", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"]}'
    where mview_id = 'spark_catalog.shop.sums';
    select 'acquired' as outcome;
end
;

-- 23. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
;

-- 24. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `shop`.`sums`
;

-- 25. stage
/* dbt_mview step=stage job=6e48a59bdb403f0a3d89ffd5a7cfae51 */
create or replace table `shop_mview`.`mview_stage_6e48a59bdb403f0a3d89ffd5a7cfae51`
using delta
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
)
;

-- 26. grants
shop.sums: {} revoke=True
;

-- 27. decide
/* dbt_mview step=decide job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
-- retried as in retry_on_conflict.sql:
merge into `shop_mview`.`mview_refresh_info` as t
using (
    select *
    from values
        ('spark_catalog.shop.totals', 2, '9b1ad6f0a4bab59c3076cf23fdce84e5', '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"], "redo": {"target": {"history": [{"version": 0}]}, "id": "9b1ad6f0a4bab59c3076cf23fdce84e5", "token": 2, "owner": "0a1b2c3d-0000-4000-8000-000000000002", "publish": "insert", "columns": [{"name": "customer", "type": "string", "expression": "`customer`"}, {"name": "total", "type": "bigint", "expression": "`total`"}], "query": "select customer, sum(amount) as total from shop.orders version as of 3 group by customer", "bounds": null, "doubts": null, "staged": true, "deferred": false, "method": "complete", "reason": "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "alterations": [], "fast": null}}'),
        ('spark_catalog.shop.sums', 2, '6e48a59bdb403f0a3d89ffd5a7cfae51', '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "sums", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"], "redo": {"target": {"history": [{"version": 0}]}, "id": "6e48a59bdb403f0a3d89ffd5a7cfae51", "token": 2, "owner": "0a1b2c3d-0000-4000-8000-000000000002", "publish": "insert", "columns": [{"name": "customer", "type": "string", "expression": "`customer`"}, {"name": "total", "type": "bigint", "expression": "`total`"}], "query": "select customer, sum(amount) as total from shop.orders version as of 3 group by customer", "bounds": null, "doubts": null, "staged": true, "deferred": false, "method": "complete", "reason": "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "alterations": [], "fast": null}}')
        as decided (mview_id, token, job_id, intent)
) as s
on t.mview_id = s.mview_id and t.mview_id in ('spark_catalog.shop.totals', 'spark_catalog.shop.sums')
when matched then update set
    intent = case
        when t.lock_token = s.token and t.refresh_job_id = s.job_id then s.intent
        else raise_error('dbt_mview: lock lost: another run took over the refresh of ' || s.mview_id || ', nothing of its refresh_group was published by this one')
    end
when not matched then insert (mview_id) values (raise_error('dbt_mview: lock lost: another run took over the refresh of ' || s.mview_id || ', nothing of its refresh_group was published by this one'))
;

-- 28. publish
/* dbt_mview step=publish job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
insert into `shop`.`totals`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "9b1ad6f0a4bab59c3076cf23fdce84e5", "lock_token": 2, "method": "complete", "reason": "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000002"}}',
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
;

-- 29. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 10
;

-- 30. sweep
/* dbt_mview step=sweep job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
drop table if exists `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
;

-- 31. publish
/* dbt_mview step=publish job=6e48a59bdb403f0a3d89ffd5a7cfae51 */
insert into `shop`.`sums`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.sums", "refresh_job_id": "6e48a59bdb403f0a3d89ffd5a7cfae51", "lock_token": 2, "method": "complete", "reason": "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000002"}}',
    'txnAppId' = 'dbt_mview:spark_catalog.shop.sums',
    'txnVersion' = '2',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
select `customer`, `total`
from `shop_mview`.`mview_stage_6e48a59bdb403f0a3d89ffd5a7cfae51`
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'spark_catalog.shop.sums'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = '6e48a59bdb403f0a3d89ffd5a7cfae51'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.sums, nothing was published by this one')
end
;

-- 32. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`sums` limit 10
;

-- 33. sweep
/* dbt_mview step=sweep job=6e48a59bdb403f0a3d89ffd5a7cfae51 */
drop table if exists `shop_mview`.`mview_stage_6e48a59bdb403f0a3d89ffd5a7cfae51`
;

-- 34. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000002 */
-- retried as in retry_on_conflict.sql:
insert into `shop_mview`.`mview_refresh_hist`
select
    job_id, mview_id, method, reason, started, coalesce(ended, current_timestamp()), rows,
    result, failed_reason, sources, invocation_id, refresh_group
from (
select
        * except (sources_json),
        transform(
            from_json(
                sources_json,
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ) as sources
    from values
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', 'sales', false, cast(null as string), cast(null as timestamp), cast(null as timestamp)),
        ('spark_catalog.shop.sums', '6e48a59bdb403f0a3d89ffd5a7cfae51', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "sums", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', 'sales', false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
) as s
left anti join (
    select refresh_job_id
    from `shop_mview`.`mview_refresh_hist`
    where mview_id in ('spark_catalog.shop.totals', 'spark_catalog.shop.sums')
        and refresh_job_id in ('9b1ad6f0a4bab59c3076cf23fdce84e5', '6e48a59bdb403f0a3d89ffd5a7cfae51')
) as h on h.refresh_job_id = s.job_id
;

-- 35. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000002 */
-- retried as in retry_on_conflict.sql:
merge into `shop_mview`.`mview_refresh_info` as t
using (
select
        * except (sources_json),
        transform(
            from_json(
                sources_json,
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ) as sources
    from values
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', 'sales', false, cast(null as string), cast(null as timestamp), cast(null as timestamp)),
        ('spark_catalog.shop.sums', '6e48a59bdb403f0a3d89ffd5a7cfae51', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "sums", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', 'sales', false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
) as s
on t.mview_id = s.mview_id and t.mview_id in ('spark_catalog.shop.totals', 'spark_catalog.shop.sums')
when matched and s.type <=> 'skip' and t.lock_owner is null and t.last_refresh_time <=> s.seen then update set
    spec = coalesce(s.spec, t.spec),
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    schedule = if(s.planned, s.schedule, t.schedule),
    next_time = if(s.planned, s.next_time, t.next_time),
    failures = null,
    retry_time = null
when matched and s.result = 'success' and not (s.type <=> 'skip') and t.lock_token = s.token
    and t.lock_owner = s.owner then update set
    definition = coalesce(s.definition, t.definition),
    definition_hash = coalesce(s.definition_hash, t.definition_hash),
    spec = coalesce(s.spec, t.spec),
    sources = s.sources,
    last_successful_refresh_read_time = s.read_time,
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    target_version = s.target_version,
    schedule = if(s.planned, s.schedule, t.schedule),
    next_time = if(s.planned, s.next_time, t.next_time),
    failures = null,
    retry_time = null,
    intent = if(s.release, null, t.intent),
    lock_owner = if(s.release, null, t.lock_owner),
    lock_time = if(s.release, null, t.lock_time),
    lease_until = if(s.release, null, t.lease_until)
when matched and s.result = 'failed' and (
    (s.token is null and t.lock_owner is null and t.last_refresh_time <=> s.seen)
    or (t.lock_owner = s.owner and (t.lock_token = s.token or t.refresh_job_id = s.job_id))
) then update set
    sources = coalesce(t.sources, s.sources),
    failures = coalesce(t.failures, 0) + 1,
    retry_time = case
        when coalesce(t.failures, 0) + 1 >= 16 then null
        when t.next_time <= current_timestamp() then
            current_timestamp() + make_interval(
                0, 0, 0, 0, 0, 0,
                least(300, shiftleft(5, cast(least(coalesce(t.failures, 0), 9) as int)))
            )
        else t.retry_time
    end,
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    refresh_job_id = if(
        s.release,
        t.refresh_job_id,
        if(t.refresh_job_id = s.job_id and get_json_object(t.intent, '$.holder.job_id') is not null, get_json_object(t.intent, '$.holder.job_id'), t.refresh_job_id)
    ),
    lock_owner = if(
        s.release,
        null,
        if(t.refresh_job_id = s.job_id and get_json_object(t.intent, '$.holder.job_id') is not null, get_json_object(t.intent, '$.holder.owner'), t.lock_owner)
    ),
    lock_time = if(
        s.release,
        null,
        if(t.refresh_job_id = s.job_id and get_json_object(t.intent, '$.holder.job_id') is not null, timestamp_micros(cast(get_json_object(t.intent, '$.holder.lock_time') as bigint)), t.lock_time)
    ),
    intent = if(
        s.release,
        null,
        if(t.refresh_job_id = s.job_id and get_json_object(t.intent, '$.holder.job_id') is not null, get_json_object(t.intent, '$.holder.intent'), t.intent)
    ),
    lease_until = if(s.release, null, if(t.refresh_job_id = s.job_id, current_timestamp(), t.lease_until))
when not matched and s.result = 'failed' and s.token is null then insert
    (mview_id, last_refresh_result, last_refresh_time, last_refresh_failed_reason, lock_token)
    values (s.mview_id, s.result, current_timestamp(), s.failed_reason, 0)
;
