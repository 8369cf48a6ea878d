/* dbt_mview step=explain */
explain extended
select * from (
select customer, sum(amount) as total from shop.orders group by customer
) where false
