/* dbt_mview step=verify */
with wanted as (
    select `customer`, `total`
    from (
select customer, sum(amount) as total from shop.orders version as of 2 group by customer
    )
),
present as (
    select `customer`, `total`
    from `shop`.`totals` version as of 0
)
select
    (
        select count(*)
        from (select * from wanted except all select * from present)
    ) as missing,
    (
        select count(*)
        from (select * from present except all select * from wanted)
    ) as surplus
