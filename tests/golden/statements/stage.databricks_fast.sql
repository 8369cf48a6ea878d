/* dbt_mview step=stage job=d9b0a944f9962ef8d5b47e6339c0d3b6 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
create or replace table `shop_mview`.`mview_stage_d9b0a944f9962ef8d5b47e6339c0d3b6`
using delta
as
select
    `customer`,
    coalesce(min(_mview_sign) < 0, false) as _mview_has_deletes,
    sum(case when _mview_sign < 0 then - `total` else `total` end) as _mview_sum_1
from (
select cast(`customer` as string) as `customer`, `total`, 1 as _mview_sign
from (
select customer, sum(amount) as total from (
    select `customer`, `amount`
    from (
        select
            `customer`, `amount`,
            sum(case when _change_type in ('insert', 'update_postimage') then 1 else -1 end) as _mview_n
        from table_changes('`main`.`shop`.`orders`', 3, 4) as _mview_feed
        where case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: a text of main.shop.orders holds U+FFFD, which its change feed also gives for bytes that are no UTF-8: use refresh auto or --full-refresh') else true end
        group by `customer`, `amount`
        having _mview_n > 0
    )
    lateral view explode(sequence(1, abs(_mview_n))) _mview_e as _mview_i
) as `orders` group by customer
)
union all
select cast(`customer` as string) as `customer`, `total`, -1 as _mview_sign
from (
select customer, sum(amount) as total from (
    select `customer`, `amount`
    from (
        select
            `customer`, `amount`,
            sum(case when _change_type in ('insert', 'update_postimage') then 1 else -1 end) as _mview_n
        from table_changes('`main`.`shop`.`orders`', 3, 4) as _mview_feed
        where case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: a text of main.shop.orders holds U+FFFD, which its change feed also gives for bytes that are no UTF-8: use refresh auto or --full-refresh') else true end
        group by `customer`, `amount`
        having _mview_n < 0
    )
    lateral view explode(sequence(1, abs(_mview_n))) _mview_e as _mview_i
) as `orders` group by customer
)
)
group by `customer`
;
        select 'done' as outcome;
    end;
end
