/* dbt_mview step=describe_detail */
describe detail `spark_catalog`.`shop`.`orders`
