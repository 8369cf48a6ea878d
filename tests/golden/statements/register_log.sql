/* dbt_mview step=register_log job=5c1c1601f9020b40d5544e4e60f9d0d8 */
-- retried on conflicts:
merge into `shop_mview`.`mlog_purge_info` as t
using (select 'spark_catalog.shop.orders_log' as mlog_id, 'spark_catalog.shop.orders' as base) as s
on t.mlog_id = s.mlog_id and t.mlog_id = 'spark_catalog.shop.orders_log'
when matched then update set base = s.base
when not matched then insert (mlog_id, base) values (s.mlog_id, s.base)
