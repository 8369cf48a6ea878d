/* dbt_mview step=describe_query */
describe query
select customer, amount from shop.orders version as of 6
