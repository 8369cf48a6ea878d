/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 10
