select
    'view' as kind,
    mview_id as id,
    unix_micros(next_time) as next_time,
    unix_micros(retry_time) as retry_time,
    unix_micros(last_refresh_time) as ended,
    unix_micros(lease_until) as lease_until,
    unix_micros(paused_time) as paused_time,
    coalesce(failures, 0) as failures,
    get_json_object(spec, '$.took.last[0][2]') as took,
    schedule,
    last_refresh_result as result,
    left(last_refresh_failed_reason, 300) as reason
from `shop_mview`.`mview_refresh_info`
where mview_id in ('v', 'it\'s')
union all
select
    'log', mlog_id, unix_micros(next_time), unix_micros(retry_time), cast(null as bigint),
    unix_micros(lease_until), unix_micros(paused_time), coalesce(failures, 0),
    cast(null as string), schedule, cast(null as string), cast(null as string)
from `shop_mview`.`mlog_purge_info`
where mlog_id in ('v', 'it\'s')
