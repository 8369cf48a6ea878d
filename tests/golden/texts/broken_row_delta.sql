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
    (
        select count(*)
        from (
select s.`k`, s.`s`, s._mview_n + coalesce(v._mview_had, 0) as _mview_copies
from `shop_mview`.`mview_stage_job1` as s
left join (
    select `k`, `s`, count(*) as _mview_had
    from `shop`.`totals` version as of 7
    group by `k`, `s`
) as v
    on s.`k` <=> v.`k` and s.`s` <=> v.`s`
where s._mview_n + coalesce(v._mview_had, 0) < 0
        )
    ) as not_there
