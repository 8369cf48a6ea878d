update `shop_mview`.`mlog_purge_info`
set
    last_purged_version = 4,
    failures = null,
    retry_time = null,
    lock_owner = null,
    lock_time = null,
    lease_until = null
where mlog_id = 'c.s.l'
    and lock_token = 3
    and lock_owner = 'me'
