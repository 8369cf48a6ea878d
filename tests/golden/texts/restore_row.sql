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
        ('c.s.v\'', 'j', cast(null as string), cast(4 as bigint), 'success', 'complete', true, 'complete', cast(null as string), cast(null as string), cast(null as timestamp), cast(null as timestamp), cast(null as bigint), '[{"relation": "c.s.t", "version": 1}]', timestamp_micros(5), cast(9 as bigint), cast(null as string), 'h', cast(null as string), cast(null as string), cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
) as s
on t.mview_id = s.mview_id and t.mview_id = 'c.s.v\''
when not matched then insert
    (mview_id, definition_hash, sources, last_successful_refresh_read_time, last_refresh_result,
    last_refresh_type, last_refresh_time, target_version, lock_token, refresh_job_id)
    values (
        s.mview_id, s.definition_hash, s.sources, s.read_time, s.result, s.type,
        timestamp_micros(6), s.target_version, s.token, s.job_id
    )
