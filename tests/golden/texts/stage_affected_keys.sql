create or replace table `shop_mview`.`mview_stage_job1`
using delta
as
select
    `k`
from (
select `k`, `total`, 1 as _mview_sign
from (
select k, s from came -- new
)
union all
select `k`, `total`, -1 as _mview_sign
from (
select k, s from went
)
)
group by `k`
