/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from shop.orders
) where false
