/* dbt_mview step=describe_query */
describe query
select * from `spark_catalog`.`shop`.`orders_log` version as of 1
