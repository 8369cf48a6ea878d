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
select 'missing' as _mview_verdict, *
from (select * from wanted except all select * from present)
union all
select 'surplus' as _mview_verdict, *
from (select * from present except all select * from wanted)
