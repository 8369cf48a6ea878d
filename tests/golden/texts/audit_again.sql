select count(*) as unique_key
from (
    select 1
    from (
select _mview_q.`k`, _mview_q.`total`, 'insert'
from (
select `k`, `total`
from (
select * from orders version as of 3 -- all
)
) as _mview_q
where (_mview_q.`k` between cast('1' as int) and cast('9' as int) or _mview_q.`k` is null)
    and exists (
        select 1
        from `shop_mview`.`mview_stage_job1` as _mview_a
        where _mview_a.`k` <=> _mview_q.`k`
    )
    )
    group by `k`, `total`
    having count(*) > 1
)
