select
    (
        select count(*)
        from (
            select 1
            from `shop_mview`.`mview_stage_job1`
            group by `k`
            having count(*) > 1
        )
    ) as key_twice,
    0 as not_there
