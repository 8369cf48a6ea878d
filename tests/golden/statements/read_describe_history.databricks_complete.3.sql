/* dbt_mview step=describe_history */
describe history `main`.`shop`.`totals` limit 10
