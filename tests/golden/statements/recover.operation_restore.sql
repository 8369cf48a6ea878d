/* dbt_mview step=recover job=third */
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
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', cast(null as string), cast(2 as bigint), 'success', 'complete', true, 'complete', cast(null as string), cast(null as string), cast(null as timestamp), cast(null as timestamp), cast(null as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), cast(null as string), '97d2d37c7a230f47f36a74a36443a26d', cast(null as string), cast(null as string), cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
) as s
on t.mview_id = s.mview_id and t.mview_id = 'spark_catalog.shop.totals'
when not matched then insert
    (mview_id, definition_hash, sources, last_successful_refresh_read_time, last_refresh_result,
    last_refresh_type, last_refresh_time, target_version, lock_token, refresh_job_id)
    values (
        s.mview_id, s.definition_hash, s.sources, s.read_time, s.result, s.type,
        timestamp_micros(1709294400000000), s.target_version, s.token, s.job_id
    )
