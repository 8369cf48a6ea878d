/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders` limit 10
