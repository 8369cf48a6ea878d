/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders version as of 7 group by customer
