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
        ('plain', 'plain', 'plain', cast(3 as bigint), 'success', 'complete', true, 'complete', 'plain', 'plain', timestamp_micros(7), cast(null as timestamp), cast(8 as bigint), '[{"relation": "plain", "table_id": "id", "version": 4, "commit_time": 5}]', timestamp_micros(9), cast(10 as bigint), 'plain', 'plain', '{"schema": "plain"}', 'plain', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp)),
        ('v2', 'j2', 'o', cast(null as bigint), 'failed', cast(null as string), true, cast(null as string), cast(null as string), 'no', cast(null as timestamp), cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as timestamp), cast(null as bigint), cast(null as string), cast(null as string), cast(null as string), 'o', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
    where mview_id in ('plain', 'v2')
        and refresh_job_id in ('plain', 'j2')
) as h on h.refresh_job_id = s.job_id
