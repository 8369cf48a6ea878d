/* dbt_mview step=tables */
show tables in `shop_mview` like 'mlog_purge_info'
