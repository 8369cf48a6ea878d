/* dbt_mview step=describe_query */
describe query
select * from `main`.`shop`.`orders_log`
