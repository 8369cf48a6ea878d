select mlog_id, lock_token from `shop_mview`.`mlog_purge_info` where lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f' order by mlog_id
;
update `shop_mview`.`mlog_purge_hist`
set
    purge_endtime = current_timestamp(),
    purge_status = 'failed',
    purge_failed_reason = 'the purge did not finish: it\'s over'
where mlog_id = 'spark_catalog.shop.orders_log' and purge_status = 'running'
;
update `shop_mview`.`mlog_purge_info`
set
    lock_owner = null,
    lock_time = null,
    lease_until = null
where mlog_id = 'spark_catalog.shop.orders_log'
    and lock_token = 4
    and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f'
