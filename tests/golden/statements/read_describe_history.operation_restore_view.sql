/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`totals`
