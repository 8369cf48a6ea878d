/* dbt_mview step=log_row */
select
    base,
    unix_micros(next_time) as next_time,
    last_purged_version,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    coalesce(lease_until < current_timestamp(), true) as lease_over
from `shop_mview`.`mlog_purge_info`
where mlog_id = 'spark_catalog.shop.orders_log'
