-- In place of a view: the rename chain
--   read_schemas, read_tables, read_layout, read_layout, read_clock, read_state, read_explain,
--   read_catalog, read_properties, read_describe_history, acquire, read_describe_query,
--   read_describe_detail, publish, read_state, swap_out, swap_in, read_describe_history, sweep,
--   grants, record, record
-- told: COMPLETE v0, 3 rows: first build in place of a view

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

-- 9. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 10. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 11. acquire
/* dbt_mview step=acquire job=a93a8fdcd1cd03ce5915452d042e5a05 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    merge into `shop_mview`.`mview_refresh_info` as t
    using (select 1 as one) as s
    on t.mview_id = 'spark_catalog.shop.totals'
    when matched then update set lock_owner = raise_error('busy')
    when not matched then insert
        (mview_id, last_refresh_result, lock_owner, lock_token, lock_time, lease_until,
        refresh_job_id, intent)
        values (
            'spark_catalog.shop.totals', 'running', '0a1b2c3d-0000-4000-8000-000000000001',
            1709294401, current_timestamp(), current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600), 'a93a8fdcd1cd03ce5915452d042e5a05',
            '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": null}, "reads": ["spark_catalog.shop.orders"], "swap": {"schema": "shop", "identifier": "totals", "kind": "view", "new": "dbt_mview_new_a93a8fdcd1cd03ce5915452d042e5a05", "backup": "dbt_mview_backup_a93a8fdcd1cd03ce5915452d042e5a05"}}'
        );
    select 'acquired' as outcome;
end
;

-- 12. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders version as of 2 group by customer
;

-- 13. read_describe_detail
/* dbt_mview step=describe_detail */
describe detail `spark_catalog`.`shop`.`orders`
;

-- 14. publish
/* dbt_mview step=publish job=a93a8fdcd1cd03ce5915452d042e5a05 */
create or replace table `shop`.`dbt_mview_new_a93a8fdcd1cd03ce5915452d042e5a05`
using delta
options ('userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "a93a8fdcd1cd03ce5915452d042e5a05", "lock_token": 1709294401, "method": "complete", "reason": "first build in place of a view", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 2, "commit_time": 1709253000000000}], "definition_hash": "97d2d37c7a230f47f36a74a36443a26d", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000001"}}')
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
        where mview_id = 'spark_catalog.shop.totals'
            and lock_token = 1709294401
            and lock_owner is not null
            and refresh_job_id = 'a93a8fdcd1cd03ce5915452d042e5a05'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
end
;

-- 15. read_state
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
where mview_id in ('spark_catalog.shop.totals')
;

-- 16. swap_out
/* dbt_mview step=swap_out job=a93a8fdcd1cd03ce5915452d042e5a05 */
alter view `shop`.`totals` rename to `shop`.`dbt_mview_backup_a93a8fdcd1cd03ce5915452d042e5a05`
;

-- 17. swap_in
/* dbt_mview step=swap_in job=a93a8fdcd1cd03ce5915452d042e5a05 */
alter table `shop`.`dbt_mview_new_a93a8fdcd1cd03ce5915452d042e5a05` rename to `shop`.`totals`
;

-- 18. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 10
;

-- 19. sweep
/* dbt_mview step=sweep job=a93a8fdcd1cd03ce5915452d042e5a05 */
drop view if exists `shop`.`dbt_mview_backup_a93a8fdcd1cd03ce5915452d042e5a05`
;

-- 20. grants
shop.totals: {} revoke=True
;

-- 21. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000001 */
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
        ('spark_catalog.shop.totals', 'a93a8fdcd1cd03ce5915452d042e5a05', '0a1b2c3d-0000-4000-8000-000000000001', cast(1709294401 as bigint), 'success', 'complete', true, 'complete', 'first build in place of a view', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 2, "commit_time": 1709253000000000}]', timestamp_micros(1709294400000000), cast(0 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000001', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
    where mview_id in ('spark_catalog.shop.totals')
        and refresh_job_id in ('a93a8fdcd1cd03ce5915452d042e5a05')
) as h on h.refresh_job_id = s.job_id
;

-- 22. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000001 */
-- retried as in retry_on_conflict.sql:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', null, failures),
    retry_time = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', null, retry_time),
    definition = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', coalesce('select customer, sum(amount) as total from shop.orders group by customer', definition), definition),
    definition_hash = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', coalesce('97d2d37c7a230f47f36a74a36443a26d', definition_hash), definition_hash),
    spec = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', coalesce('{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}', spec), spec),
    sources = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', transform(
            from_json(
                '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 2, "commit_time": 1709253000000000}]',
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ), sources),
    last_successful_refresh_read_time = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', timestamp_micros(1709294400000000), last_successful_refresh_read_time),
    last_refresh_result = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', 'success', last_refresh_result),
    last_refresh_type = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', 'complete', last_refresh_type),
    last_refresh_time = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', cast(null as string), last_refresh_failed_reason),
    target_version = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', cast(0 as bigint), target_version),
    intent = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', null, intent),
    lock_owner = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', null, lock_owner),
    lock_time = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', null, lock_time),
    lease_until = if(lock_token = cast(1709294401 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000001', null, lease_until)
where mview_id in ('spark_catalog.shop.totals')
;
