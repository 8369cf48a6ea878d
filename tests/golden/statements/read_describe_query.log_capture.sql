/* dbt_mview step=describe_query */
describe query
select * from `shop`.`orders_log`
