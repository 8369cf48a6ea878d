select purge_job_id, unix_micros(purge_endtime)
from `shop_mview`.`mlog_purge_hist`
where mlog_id in ('spark_catalog.shop.orders_log', 'c.s.unknown')
    and purge_job_id in ('e3d4099580472cf773165d0a271d530d', '2154b21e70b65e6f439e2acad63c2012')
;
update `shop_mview`.`mlog_purge_info`
set
    failures = coalesce(failures, 0) + 1,
    retry_time = case
        when coalesce(failures, 0) + 1 >= 16 then null
        when next_time <= current_timestamp() then
            current_timestamp() + make_interval(
                0, 0, 0, 0, 0, 0,
                least(300, shiftleft(5, cast(least(coalesce(failures, 0), 9) as int)))
            )
        else retry_time
    end
where mlog_id = 'spark_catalog.shop.orders_log' and lock_owner is null
