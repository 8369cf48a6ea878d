/* dbt_mview step=staged_changes */
select
    count(*),
    count_if(_mview_undecided),
    cast(min(`customer`) as string),
    cast(max(`customer`) as string),
    count_if(`customer` is null)
from (
select
    s.`customer` as `customer`,
    cast(case when coalesce(v.`total`, s._mview_sum_1) is not null then coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) end as bigint) as `total`,
    coalesce(s._mview_has_deletes and (
        (coalesce(v.`total`, s._mview_sum_1) is not null and coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) = 0)
        or not coalesce(coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) <> 0, false)
    ), true) as _mview_undecided,
    true as _mview_alive
from `shop_mview`.`mview_stage_d9b0a944f9962ef8d5b47e6339c0d3b6` as s
left join `main`.`shop`.`totals` version as of 0 as v
    on s.`customer` <=> v.`customer`
)
