select count(*) as unique_key
from (
    select `s`, sum(_mview_n) as _mview_change
    from `shop_mview`.`mview_stage_job1`
    group by `s`
    having max(_mview_n) > 0
) as s
left join (
    select `s`, count(*) as _mview_had
    from `shop`.`totals` version as of 7
    group by `s`
) as v
    on s.`s` <=> v.`s`
where coalesce(v._mview_had, 0) + s._mview_change > 1
