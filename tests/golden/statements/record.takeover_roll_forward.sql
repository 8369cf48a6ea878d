/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-00000000000f */
-- retried on conflicts:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), null, failures),
    retry_time = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), null, retry_time),
    spec = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}', spec),
    last_refresh_result = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), 'success', last_refresh_result),
    last_refresh_type = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), 'skip', last_refresh_type),
    last_refresh_time = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709294400000000), cast(null as string), last_refresh_failed_reason)
where mview_id in ('spark_catalog.shop.totals')
