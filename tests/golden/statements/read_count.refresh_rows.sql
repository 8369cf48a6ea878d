/* dbt_mview step=count */
select count(*) from `spark_catalog`.`shop`.`orders` version as of 3
