/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders_log`
