/* dbt_mview step=logs */
select mlog_id from `shop_mview`.`mlog_purge_info` where base = 'spark_catalog.shop.orders' order by mlog_id
