select
    mview_id,
    unix_micros(refresh_time) as refresh_time,
    unix_micros(refresh_endtime) as refresh_endtime,
    refresh_method,
    refresh_status,
    refresh_rows,
    refresh_reason,
    refresh_failed_reason,
    refresh_job_id,
    invocation_id,
    refresh_group
from `shop_mview`.`mview_refresh_hist`
where mview_id in ('a\'b')
order by refresh_time desc
limit 5
