/* dbt_mview step=stage job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
create or replace table `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
using delta
as
select cast(`customer` as string) as `customer`, `total`
from (
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
)
