-- mview_recover of an owner
--   read_schemas, read_tables, read_layout, read_layout, read_tables, read_state, read_state,
--   read_schemas, read_catalog, read_describe_history, acquire, read_catalog,
--   read_describe_history, fence, read_catalog, read_describe_history, recover, recover, record,
--   record
-- told: dbt_mview: spark_catalog.shop.totals: undid the unfinished refresh of run 0a1b2c3d-0000-4000-8000-00000000000f

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

-- 5. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mlog_purge_info'
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
where lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f'
    or (lock_owner is not null and get_json_object(intent, '$.definition') is null)
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

-- 8. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop'
;

-- 9. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 10. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 11. acquire
/* dbt_mview step=acquire job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mview_refresh_info`
    set
        lock_owner = case
            when lock_token = 5 and (
                lock_owner is null or lease_until < current_timestamp() or true
            ) then '0a1b2c3d-0000-4000-8000-000000000002'
            else raise_error('busy')
        end,
        lock_token = 6,
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600),
        last_refresh_result = 'running',
        refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5',
        intent = '{"definition": null, "spec": null, "holder": {"job_id": "job-of-the-other", "owner": "0a1b2c3d-0000-4000-8000-00000000000f", "intent": {"definition": "select 1", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}}, "lock_time": 1709293200000000, "lease_until": 1709296800000000}}'
    where mview_id = 'spark_catalog.shop.totals';
    select 'acquired' as outcome;
end
;

-- 12. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 13. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 14. fence
/* dbt_mview step=fence job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
alter table `shop`.`totals` set tblproperties ('dbt_mview.fence' = '6')
;

-- 15. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 16. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 17. recover
/* dbt_mview step=recover job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
create or replace table `shop_mview`.`mview_stage_job-of-the-other` using delta as select 0 as n
;

-- 18. recover
/* dbt_mview step=recover job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
drop table if exists `shop_mview`.`mview_stage_job-of-the-other`
;

-- 19. record
/* dbt_mview step=record job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
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
        ('spark_catalog.shop.totals', 'job-of-the-other', '0a1b2c3d-0000-4000-8000-000000000002', cast(6 as bigint), 'failed', cast(null as string), true, 'complete', cast(null as string), 'the run did not finish: it took longer than 59 minutes', timestamp_micros(1709293200000000), cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as string), cast(null as string), '0a1b2c3d-0000-4000-8000-00000000000f', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
        and refresh_job_id in ('job-of-the-other')
) as h on h.refresh_job_id = s.job_id
;

-- 20. record
/* dbt_mview step=record job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
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
        ('spark_catalog.shop.totals', 'job-of-the-other', '0a1b2c3d-0000-4000-8000-000000000002', cast(6 as bigint), 'failed', cast(null as string), true, 'complete', cast(null as string), 'the run did not finish: it took longer than 59 minutes', timestamp_micros(1709293200000000), cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as string), cast(null as string), '0a1b2c3d-0000-4000-8000-00000000000f', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
