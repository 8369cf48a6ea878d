/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders version as of 4 group by customer
