/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders_log` limit 20
