/* dbt_mview step=describe_query */
describe query
select customer, amount from main.shop.orders version as of 4
