/* dbt_mview step=staged_changes */
select
    count(*),
    0,
    cast(min(`customer`) as string),
    cast(max(`customer`) as string),
    count_if(`customer` is null),
    cast(min(`total`) as string),
    cast(max(`total`) as string),
    count_if(`total` is null)
from `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
