/* dbt_mview step=explain */
explain extended
select * from (
select customer, total from shop.orders
) where false
