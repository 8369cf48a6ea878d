/* dbt_mview step=record job=b */
-- retried on conflicts:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709287200000000), null, failures),
    retry_time = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709287200000000), null, retry_time),
    last_refresh_result = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709287200000000), 'success', last_refresh_result),
    last_refresh_type = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709287200000000), 'skip', last_refresh_type),
    last_refresh_time = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709287200000000), current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_owner is null and last_refresh_time <=> timestamp_micros(1709287200000000), cast(null as string), last_refresh_failed_reason)
where mview_id in ('spark_catalog.shop.totals')
