merge into `shop`.`totals` as v
using (
select `k`, `n`, `total`, `mean`, `c`, _mview_op
from (
select
    `k`, `n`, `total`, `mean`, `c`,
    case
        when `n` < 0
        then raise_error('dbt_mview: spark_catalog.shop.totals: INVARIANT_BROKEN: groups in which a count falls below zero')
        when `c` < 0
        then raise_error('dbt_mview: spark_catalog.shop.totals: INVARIANT_BROKEN: groups in which a count falls below zero')
        when _mview_undecided then raise_error('dbt_mview: a group is undecided')
        when _mview_alive and not _mview_undecided then 'put'
        else 'delete'
    end as _mview_op
from (
select
    `k`, `n`, `total`, `mean`, `c`,
    _mview_undecided or _mview_alive and not (
        coalesce(_mview_count_3 = 0 or abs(`mean` * _mview_count_3 - `total`) < _mview_count_3 * 0.0000005, false)
    ) as _mview_undecided,
    _mview_alive
from (
select *, cast(`total` / nullif(_mview_count_3, 0) as decimal(14,6)) as `mean`
from (
select
    s.`k` as `k`,
    cast(coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) as bigint) as `n`,
    cast(case when coalesce(v.`total`, s._mview_sum_2) is not null then coalesce(v.`total`, 0) + coalesce(s._mview_sum_2, 0) end as decimal(20,2)) as `total`,
    try_cast(case when v._mview_there then v._mview_count_3 else 0 end + s._mview_sum_3 as decimal(10, 0)) as _mview_count_3,
    cast(coalesce(v.`c`, 0) + coalesce(s._mview_sum_4, 0) as bigint) as `c`,
    coalesce(coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) > 0 and (s._mview_has_deletes and (
        (coalesce(v.`total`, s._mview_sum_2) is not null and coalesce(v.`total`, 0) + coalesce(s._mview_sum_2, 0) = 0)
    )), true) as _mview_undecided,
    coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) > 0 as _mview_alive
from (
select
    `k`,
    coalesce(min(_mview_sign) < 0, false) as _mview_has_deletes,
    sum(case when _mview_sign < 0 then - `n` else `n` end) as _mview_sum_1,
    cast(sum(case when _mview_sign < 0 then - `total` else `total` end) as decimal(20,2)) as _mview_sum_2,
    case when count(_mview_count_3) = count(*) then sum(case when _mview_sign < 0 then - _mview_count_3 else _mview_count_3 end) end as _mview_sum_3,
    sum(case when _mview_sign < 0 then - `c` else `c` end) as _mview_sum_4
from (
select *,
    case
        when `mean` is null then 0
        when abs(`mean` * try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0)) - `total`) <= try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0)) * 0.0000005
            and abs(`mean`) > (try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0)) + 1) * 8 * 0.0000005
        then try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0))
    end as _mview_count_3
from (
select `k`, `n`, `total`, `mean`, `c`, 1 as _mview_sign
from (
select k, s from came -- new
)
union all
select `k`, `n`, `total`, `mean`, `c`, -1 as _mview_sign
from (
select k, s from went
)
)
)
group by `k`
) as s
left join (select *, true as _mview_there,
    case
        when `mean` is null then 0
        when abs(`mean` * try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0)) - `total`) <= try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0)) * 0.0000005
            and abs(`mean`) > (try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0)) + 1) * 8 * 0.0000005
        then try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0))
    end as _mview_count_3 from `shop`.`totals` version as of 7) as v
    on s.`k` <=> v.`k`
)
)
)
union all
select null, null, null, null, null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'spark_catalog.shop.totals'
            and lock_token = 3
            and lock_owner is not null
            and refresh_job_id = 'job1'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
end
)
) as s
on s._mview_op <> 'insert'
    and v.`k` <=> s.`k`
    and true
when matched and s._mview_op = 'put' then update set `k` = s.`k`, `n` = s.`n`, `total` = s.`total`, `mean` = s.`mean`, `c` = s.`c`
when matched and s._mview_op = 'delete' then delete
when not matched and s._mview_op not in (
    'delete',
    '7b226462745f6d76696577223a207b226d766965775f6964223a2022737061726b5f636174616c6f672e73686f702e746f74616c73222c2022726566726573685f6a6f625f6964223a20226a6f6231222c20226c6f636b5f746f6b656e223a20332c20226d6574686f64223a202266617374222c2022726561736f6e223a202273686f702e6f7264657273207632202d3e207633222c202273746172746564223a20312c2022726561645f74696d65223a20322c2022736f7572636573223a205b5d2c2022646566696e6974696f6e5f68617368223a202268222c2022696e766f636174696f6e5f6964223a202272756e31227d7d'
) then insert (`k`, `n`, `total`, `mean`, `c`)
    values (s.`k`, s.`n`, s.`total`, s.`mean`, s.`c`)
