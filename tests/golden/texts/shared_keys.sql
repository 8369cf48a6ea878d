select count(*)
from (
    select 1
    from (
        select `k`, `s`
        from `shop`.`totals` version as of 7
        union
        select `k`, `s`
        from `shop_mview`.`mview_stage_job1`
    )
    group by `s`
    having count(*) > 1
)
