/* dbt_mview step=describe_history */
describe history `shop`.`sums` limit 20
