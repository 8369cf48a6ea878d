select
    (
        select count(*)
        from (
            select 1
            from `shop_mview`.`mview_stage_job1`
            group by `k`, `s`
            having count(*) > 1
        )
    ) as key_twice,
    0 as not_there,
    count_if(`n` < 0)
from (
select
    s.`k` as `k`,
    s.`s` as `s`,
    cast(coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) as bigint) as `n`,
    cast(case when coalesce(v.`total`, s._mview_sum_2) is not null then coalesce(v.`total`, 0) + coalesce(s._mview_sum_2, 0) end as decimal(20,2)) as `total`,
    cast(least(v.`lo`, s._mview_come_3) as bigint) as `lo`,
    coalesce(coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) > 0 and (s._mview_has_deletes and (
        (coalesce(v.`total`, s._mview_sum_2) is not null and coalesce(v.`total`, 0) + coalesce(s._mview_sum_2, 0) = 0)
        or not (s._mview_come_3 is not null
            and coalesce(s._mview_come_3 <= v.`lo`, true)
            and coalesce(s._mview_come_3 < s._mview_gone_3, true)
            or v.`lo` is not null
            and coalesce(v.`lo` < s._mview_gone_3, true)
            and coalesce(v.`lo` <= s._mview_come_3, true)
            or coalesce(v.`lo`, s._mview_come_3, s._mview_gone_3) is null)
    )), true) as _mview_undecided,
    coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) > 0 as _mview_alive
from `shop_mview`.`mview_stage_job1` as s
left join `shop`.`totals` version as of 7 as v
    on s.`k` <=> v.`k` and s.`s` <=> v.`s`
)
