create or replace table `shop_mview`.`mview_stage_job1`
using delta
as
select
    `k`, `s`,
    sum(_mview_sign) as _mview_n
from (
select `k`, cast(`s` as string) as `s`, 1 as _mview_sign
from (
select k, s from came -- new
)
union all
select `k`, cast(`s` as string) as `s`, -1 as _mview_sign
from (
select k, s from went
)
)
group by `k`, `s`
having sum(_mview_sign) <> 0
