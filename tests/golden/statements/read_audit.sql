/* dbt_mview step=audit */
select
    (
        select count(*)
        from (
            select (
total >= 0 -- no debts
            ) as met
            from `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
        )
        where not coalesce(met, false)
    ) as audit_1,
    (
        select count(*)
        from (
            select (
count(*) > 0
            ) as met
            from `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
        )
        where not coalesce(met, false)
    ) as audit_2,
    (
        select count(*)
        from (
            select 1
            from `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
            group by `customer`
            having count(*) > 1
        )
    ) as unique_key
