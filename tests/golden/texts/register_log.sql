merge into `shop_mview`.`mlog_purge_info` as t
using (select 'c.s.log' as mlog_id, 'c.s.it\'s' as base) as s
on t.mlog_id = s.mlog_id and t.mlog_id = 'c.s.log'
when matched then update set base = s.base
when not matched then insert (mlog_id, base) values (s.mlog_id, s.base)
