select count(*) as unique_key
from (
    select 1
    from (
select q.`k`, q.`total`, 'insert'
from (
select `k`, `total`
from (
select * from orders version as of 3 -- all
)
) as q
where (q.`k` between cast('1' as int) and cast('9' as int) or q.`k` is null)
    and exists (
        select 1
        from `shop_mview`.`mview_stage_job1` as a
        where a.`k` <=> q.`k`
    )
    )
    group by `k`, `total`
    having count(*) > 1
)
