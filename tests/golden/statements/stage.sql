/* dbt_mview step=stage job=a93a8fdcd1cd03ce5915452d042e5a05 */
create or replace table `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
using delta
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 2 group by customer
)
