/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000002 */
-- retried on conflicts:
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
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed (alter table shop.orders set tblproperties (\'delta.enableChangeDataFeed\' = \'true\')): shop.orders', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', 'sales', false, cast(null as string), cast(null as timestamp), cast(null as timestamp)),
        ('spark_catalog.shop.sums', '6e48a59bdb403f0a3d89ffd5a7cfae51', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed (alter table shop.orders set tblproperties (\'delta.enableChangeDataFeed\' = \'true\')): shop.orders', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "sums", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": "sales", "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', 'sales', false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
