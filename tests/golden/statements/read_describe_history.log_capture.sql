/* dbt_mview step=describe_history */
describe history `shop`.`orders_log` limit 20
