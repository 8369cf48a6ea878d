-- A dead run had published: recorded
--   read_schemas, read_tables, read_layout, read_layout, read_clock, read_state, read_state,
--   read_explain, read_catalog, read_describe_history, read_properties, read_describe_history,
--   acquire, recover, record, record, read_state, release, grants, record
-- told: SKIP nothing changed since orders v3
-- told: dbt_mview: spark_catalog.shop.totals: recorded the refresh that run 0a1b2c3d-0000-4000-8000-000000000002 had published

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

-- 7. read_state
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

-- 8. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, sum(amount) as total from shop.orders group by customer
) where false
;

-- 9. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 10. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 11. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 12. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 13. acquire
/* dbt_mview step=acquire job=6634fa48057cfd43976cec552ea31d06 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mview_refresh_info`
    set
        lock_owner = case
            when lock_token = 2 and (
                lock_owner is null or lease_until < current_timestamp()
                or refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5'
            ) then '0a1b2c3d-0000-4000-8000-00000000000f'
            else raise_error('busy')
        end,
        lock_token = 3,
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600),
        last_refresh_result = 'running',
        refresh_job_id = '6634fa48057cfd43976cec552ea31d06',
        intent = '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"], "holder": {"job_id": "9b1ad6f0a4bab59c3076cf23fdce84e5", "owner": "0a1b2c3d-0000-4000-8000-000000000002", "intent": {"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"]}, "lock_time": 1709294400000000, "lease_until": 1709298000000000}}'
    where mview_id = 'spark_catalog.shop.totals';
    select 'acquired' as outcome;
end
;

-- 14. recover
/* dbt_mview step=recover job=6634fa48057cfd43976cec552ea31d06 */
drop table if exists `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
;

-- 15. record
/* dbt_mview step=record job=6634fa48057cfd43976cec552ea31d06 */
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
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', '0a1b2c3d-0000-4000-8000-00000000000f', cast(3 as bigint), 'success', 'complete', false, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders', cast(null as string), timestamp_micros(1709294400000000), cast(null as timestamp), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}, "unfinished": true}', '0a1b2c3d-0000-4000-8000-000000000002', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
        and refresh_job_id in ('9b1ad6f0a4bab59c3076cf23fdce84e5')
) as h on h.refresh_job_id = s.job_id
;

-- 16. record
/* dbt_mview step=record job=6634fa48057cfd43976cec552ea31d06 */
-- retried as in retry_on_conflict.sql:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', null, failures),
    retry_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', null, retry_time),
    definition = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', coalesce('select customer, sum(amount) as total from shop.orders group by customer', definition), definition),
    definition_hash = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', coalesce('97d2d37c7a230f47f36a74a36443a26d', definition_hash), definition_hash),
    spec = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', coalesce('{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}, "unfinished": true}', spec), spec),
    sources = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', transform(
            from_json(
                '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]',
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ), sources),
    last_successful_refresh_read_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', timestamp_micros(1709294400000000), last_successful_refresh_read_time),
    last_refresh_result = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', 'success', last_refresh_result),
    last_refresh_type = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', 'complete', last_refresh_type),
    last_refresh_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', cast(null as string), last_refresh_failed_reason),
    target_version = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f', cast(1 as bigint), target_version)
where mview_id in ('spark_catalog.shop.totals')
;

-- 17. read_state
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

-- 18. release
/* dbt_mview step=release job=6634fa48057cfd43976cec552ea31d06 */
-- retried as in retry_on_conflict.sql:
update `shop_mview`.`mview_refresh_info` set lock_owner = null, lock_time = null, lease_until = null, intent = null where mview_id = 'spark_catalog.shop.totals' and lock_token = 3 and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f'
;

-- 19. grants
shop.totals: {} revoke=True
;

-- 20. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-00000000000f */
-- retried as in retry_on_conflict.sql:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), null, failures),
    retry_time = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), null, retry_time),
    spec = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}', spec),
    last_refresh_result = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), 'success', last_refresh_result),
    last_refresh_type = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), 'skip', last_refresh_type),
    last_refresh_time = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), cast(null as string), last_refresh_failed_reason)
where mview_id in ('spark_catalog.shop.totals')
;
