insert into `shop_mview`.`mlog_purge_hist`
select
    'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj', 'c.s.l',
    'manual', current_timestamp(),
    cast(null as timestamp),
    cast(6 as bigint), 'running',
    cast(null as string)
where not exists (
    select 1
    from `shop_mview`.`mlog_purge_hist`
    where mlog_id = 'c.s.l'
        and purge_job_id = 'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj'
)
;
update `shop_mview`.`mlog_purge_hist`
set
    purge_endtime = current_timestamp(),
    purge_rows = 6,
    purge_status = 'failed',
    purge_failed_reason = 'it\'s over'
where mlog_id = 'c.s.l'
    and purge_job_id = 'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj'
    and purge_status = 'running'
;
update `shop_mview`.`mlog_purge_hist`
set
    purge_endtime = current_timestamp(),
    purge_status = 'failed',
    purge_failed_reason = 'the purge did not finish; its lock was taken over'
where mlog_id = 'c.s.l' and purge_status = 'running'
