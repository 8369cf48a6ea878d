/* dbt_mview step=properties */
show tblproperties `shop`.`orders_log`
