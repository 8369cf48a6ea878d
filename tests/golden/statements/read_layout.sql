/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_hist`
