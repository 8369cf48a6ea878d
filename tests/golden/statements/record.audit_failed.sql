/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000001 */
-- retried on conflicts:
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
