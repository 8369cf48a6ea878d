/* dbt_mview step=properties */
show tblproperties `main`.`shop`.`orders_log`
