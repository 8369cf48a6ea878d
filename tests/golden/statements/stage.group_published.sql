/* dbt_mview step=stage job=6e48a59bdb403f0a3d89ffd5a7cfae51 */
create or replace table `shop_mview`.`mview_stage_6e48a59bdb403f0a3d89ffd5a7cfae51`
using delta
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
)
