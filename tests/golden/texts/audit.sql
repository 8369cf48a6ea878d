select
    (
        select count(*)
        from (
            select (
a > 0
            ) as met
            from `shop_mview`.`mview_stage_j1`
        )
        where not coalesce(met, false)
    ) as audit_1,
    (
        select count(*)
        from (
            select (
count(*) > 1 -- many
            ) as met
            from `shop_mview`.`mview_stage_j1`
        )
        where not coalesce(met, false)
    ) as audit_2,
    (
        select count(*)
        from (
            select 1
            from `shop_mview`.`mview_stage_j1`
            group by `a`, `b``c`
            having count(*) > 1
        )
    ) as unique_key
