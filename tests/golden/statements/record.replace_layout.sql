/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000002 */
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
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'complete', true, 'complete', 'configuration changed: partition_by', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(3 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 2, "commit_time": 1709253000000000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": ["customer"], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
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
