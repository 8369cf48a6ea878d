-- An audit fails: nothing is published
--   read_schemas, read_tables, read_layout, read_layout, read_clock, read_state, read_explain,
--   read_catalog, read_properties, read_describe_history, acquire, read_describe_query,
--   read_describe_detail, stage, read_audit, sweep, read_catalog, record, record

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
            1, current_timestamp(), current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600), 'a93a8fdcd1cd03ce5915452d042e5a05',
            '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": ["customer"], "audit": ["total >= 0 -- no debts", "count(*) > 0"], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": null}, "reads": ["spark_catalog.shop.orders"]}'
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

-- 14. stage
/* dbt_mview step=stage job=a93a8fdcd1cd03ce5915452d042e5a05 */
create or replace table `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
using delta
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 2 group by customer
)
;

-- 15. read_audit
/* dbt_mview step=audit */
select
    (
        select count(*)
        from (
            select (
total >= 0 -- no debts
            ) as met
            from `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
        )
        where not coalesce(met, false)
    ) as audit_1,
    (
        select count(*)
        from (
            select (
count(*) > 0
            ) as met
            from `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
        )
        where not coalesce(met, false)
    ) as audit_2,
    (
        select count(*)
        from (
            select 1
            from `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
            group by `customer`
            having count(*) > 1
        )
    ) as unique_key
;

-- 16. sweep
/* dbt_mview step=sweep job=a93a8fdcd1cd03ce5915452d042e5a05 */
drop table if exists `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
;

-- 17. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 18. record
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
        ('spark_catalog.shop.totals', 'a93a8fdcd1cd03ce5915452d042e5a05', '0a1b2c3d-0000-4000-8000-000000000001', cast(1 as bigint), 'failed', 'complete', true, 'complete', 'first build', 'dbt_mview: spark_catalog.shop.totals: audit failed: total >= 0 -- no debts (not met 4 times); unique_key customer (2 keys occur more than once). Nothing was published, the view keeps its last result.', timestamp_micros(1709294400000000), cast(null as timestamp), cast(null as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": null, "version": null, "commit_time": null}]', cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as string), cast(null as string), '0a1b2c3d-0000-4000-8000-000000000001', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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

-- 19. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000001 */
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
        ('spark_catalog.shop.totals', 'a93a8fdcd1cd03ce5915452d042e5a05', '0a1b2c3d-0000-4000-8000-000000000001', cast(1 as bigint), 'failed', 'complete', true, 'complete', 'first build', 'dbt_mview: spark_catalog.shop.totals: audit failed: total >= 0 -- no debts (not met 4 times); unique_key customer (2 keys occur more than once). Nothing was published, the view keeps its last result.', timestamp_micros(1709294400000000), cast(null as timestamp), cast(null as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": null, "version": null, "commit_time": null}]', cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as string), cast(null as string), '0a1b2c3d-0000-4000-8000-000000000001', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
) as s
on t.mview_id = s.mview_id and t.mview_id in ('spark_catalog.shop.totals')
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
