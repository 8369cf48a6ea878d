/* dbt_mview step=stage job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
create or replace table `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
using delta
as
select
    `customer`, `total`,
    sum(_mview_sign) as _mview_n
from (
select cast(`customer` as string) as `customer`, `total`, 1 as _mview_sign
from (
select customer, sum(amount) as total from shop.orders version as of 3 group by customer
)
union all
select cast(`customer` as string) as `customer`, `total`, -1 as _mview_sign
from (
select * from `shop`.`totals` version as of 0
)
)
group by `customer`, `total`
having sum(_mview_sign) <> 0
