/* dbt_mview step=describe_query */
describe query
select customer, total from shop.orders version as of 3
