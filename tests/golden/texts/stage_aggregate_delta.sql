create or replace table `shop_mview`.`mview_stage_job1`
using delta
as
select
    `k`, `s`,
    coalesce(min(_mview_sign) < 0, false) as _mview_has_deletes,
    sum(case when _mview_sign < 0 then - `n` else `n` end) as _mview_sum_1,
    cast(sum(case when _mview_sign < 0 then - `total` else `total` end) as decimal(20,2)) as _mview_sum_2,
    min(case when _mview_sign > 0 then `lo` end) as _mview_come_3,
    min(case when _mview_sign < 0 then `lo` end) as _mview_gone_3
from (
select `k`, cast(`s` as string) as `s`, `n`, `total`, `lo`, 1 as _mview_sign
from (
select k, s from came -- new
)
union all
select `k`, cast(`s` as string) as `s`, `n`, `total`, `lo`, -1 as _mview_sign
from (
select k, s from went
)
)
group by `k`, `s`
