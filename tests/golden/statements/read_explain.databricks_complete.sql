/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from main.shop.orders
) where false
