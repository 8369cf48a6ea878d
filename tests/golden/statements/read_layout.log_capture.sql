/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mlog_purge_hist`
