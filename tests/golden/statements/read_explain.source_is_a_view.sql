/* dbt_mview step=explain */
explain extended
select * from (
select customer, total from shop.stg
) where false
