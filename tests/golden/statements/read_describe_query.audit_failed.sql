/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders group by customer
