/* dbt_mview step=record job=c91afd33cacea8ec1618fa1bbd7a3fc4 */
-- retried on conflicts:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', null, failures),
    retry_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', null, retry_time),
    definition = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', coalesce('select customer, sum(amount) as total from shop.orders group by customer', definition), definition),
    definition_hash = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', coalesce('97d2d37c7a230f47f36a74a36443a26d', definition_hash), definition_hash),
    spec = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', coalesce('{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": 0.0, "first": 0.0, "last": [["complete", 0, 0.0], ["first", 0, 0.0]]}, "held": "v0 of 2024-03-01 12:00:00Z"}', spec), spec),
    sources = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', transform(
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
    last_successful_refresh_read_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', timestamp_micros(1709294400000000), last_successful_refresh_read_time),
    last_refresh_result = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', 'success', last_refresh_result),
    last_refresh_type = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', 'complete', last_refresh_type),
    last_refresh_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', cast(null as string), last_refresh_failed_reason),
    target_version = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', cast(2 as bigint), target_version),
    intent = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', null, intent),
    lock_owner = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', null, lock_owner),
    lock_time = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', null, lock_time),
    lease_until = if(lock_token = cast(3 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000003', null, lease_until)
where mview_id in ('spark_catalog.shop.totals')
