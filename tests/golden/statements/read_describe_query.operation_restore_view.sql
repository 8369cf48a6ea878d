/* dbt_mview step=describe_query */
describe query
select * from `shop`.`totals` version as of 0
