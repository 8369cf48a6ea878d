-- A capture, FAST, a group that is FAST
--   read_explain, read_properties, read_describe_history, read_describe_query, read_catalog,
--   read_describe_history, read_properties, read_describe_query, capture, read_catalog,
--   read_describe_history, read_describe_query, read_columns, read_count, read_describe_detail,
--   stage, read_staged_changes, publish, read_describe_history
-- told: CAPTURE v4, 5 rows: v2 -> v4
-- told: FAST v1, 6 rows: shop.orders v2 -> v4 (aggregate, 5 changed rows)
-- told: STAGED FAST for refresh_group sales: shop.orders v2 -> v4 (aggregate, 5 changed rows)
-- told: FAST v1, 6 rows: shop.orders v2 -> v4 (aggregate, 5 changed rows)

-- 1. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, amount from main.shop.orders
) where false
;

-- 2. read_properties
/* dbt_mview step=properties */
show tblproperties `main`.`shop`.`orders`
;

-- 3. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders` limit 10
;

-- 4. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, amount from main.shop.orders version as of 4
;

-- 5. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'orders_log'
;

-- 6. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`orders_log` limit 20
;

-- 7. read_properties
/* dbt_mview step=properties */
show tblproperties `main`.`shop`.`orders_log`
;

-- 8. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `main`.`shop`.`orders_log`
;

-- 9. capture
/* dbt_mview step=capture job=5d3c14a09b4cf38128aa28a975fba9e0 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;

begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                insert into `main`.`shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "5d3c14a09b4cf38128aa28a975fba9e0", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`main`.`shop`.`orders`', 3, 4)
where
    not exists (
        select 1 from `main`.`shop`.`orders_log` as logged
        where logged._commit_version > 2
    );
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            insert into `main`.`shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "5d3c14a09b4cf38128aa28a975fba9e0", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`main`.`shop`.`orders`', 3, 4)
where
    not exists (
        select 1 from `main`.`shop`.`orders_log` as logged
        where logged._commit_version > 2
    );
        end if;
    end;
    insert into `main`.`shop`.`orders_log`
with ('userMetadata' = '{"dbt_mview": {"mlog_id": "main.shop.orders_log", "capture_job_id": "5d3c14a09b4cf38128aa28a975fba9e0", "began": {"version": 2, "commit_time": 1709294400000000}, "captured": {"version": 4, "commit_time": 1709253660000000}}}') (`customer`, `amount`, _change_type, _commit_version, _commit_timestamp)
select /*+ rebalance(_commit_version) */ `customer`, `amount`, _change_type, _commit_version, _commit_timestamp
from table_changes('`main`.`shop`.`orders`', 3, 4)
where
    not exists (
        select 1 from `main`.`shop`.`orders_log` as logged
        where logged._commit_version > 2
    );
end
;
        select 'done' as outcome;
    end;
end
;

-- 10. read_catalog
/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'totals'
;

-- 11. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`totals` limit 20
;

-- 12. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `main`.`shop`.`totals`
;

-- 13. read_columns
/* dbt_mview step=columns */
describe query
select 1 as `mview:0`, t0.*
from `main`.`shop`.`orders` version as of 4 as t0
;

-- 14. read_count
/* dbt_mview step=count */
select count(*) from `main`.`shop`.`orders` version as of 4
;

-- 15. read_describe_detail
/* dbt_mview step=describe_detail */
describe detail `main`.`shop`.`totals`
;

-- 16. stage
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
    coalesce(min(_mview_sign) < 0, false) as _mview_gone,
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
        where case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: U+FFFD in a text of main.shop.orders, which its feed gives for what is no UTF-8, too: use refresh auto or --full-refresh') else true end
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
        where case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: U+FFFD in a text of main.shop.orders, which its feed gives for what is no UTF-8, too: use refresh auto or --full-refresh') else true end
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
;

-- 17. read_staged_changes
/* dbt_mview step=staged_changes */
select
    count(*),
    count_if(_mview_doubt),
    cast(min(`customer`) as string),
    cast(max(`customer`) as string),
    count_if(`customer` is null)
from (
select
    s.`customer` as `customer`,
    cast(case when coalesce(v.`total`, s._mview_sum_1) is not null then coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) end as bigint) as `total`,
    coalesce(s._mview_gone and (
        (coalesce(v.`total`, s._mview_sum_1) is not null and coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) = 0)
        or not coalesce(coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) <> 0, false)
    ), true) as _mview_doubt,
    true as _mview_alive
from `shop_mview`.`mview_stage_d9b0a944f9962ef8d5b47e6339c0d3b6` as s
left join `main`.`shop`.`totals` version as of 0 as v
    on s.`customer` <=> v.`customer`
)
;

-- 18. publish
/* dbt_mview step=publish job=d9b0a944f9962ef8d5b47e6339c0d3b6 */
merge into `main`.`shop`.`totals` as v
using (
select cast(`customer` as string) as `customer`, `total`, _mview_op
from (
select
    `customer`, `total`,
    case
        when _mview_alive and not _mview_doubt then 'put'
        else 'delete'
    end as _mview_op
from (
select
    s.`customer` as `customer`,
    cast(case when coalesce(v.`total`, s._mview_sum_1) is not null then coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) end as bigint) as `total`,
    coalesce(s._mview_gone and (
        (coalesce(v.`total`, s._mview_sum_1) is not null and coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) = 0)
        or not coalesce(coalesce(v.`total`, 0) + coalesce(s._mview_sum_1, 0) <> 0, false)
    ), true) as _mview_doubt,
    true as _mview_alive
from `shop_mview`.`mview_stage_d9b0a944f9962ef8d5b47e6339c0d3b6` as s
left join `main`.`shop`.`totals` version as of 0 as v
    on s.`customer` <=> v.`customer`
)
union all
select null, null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'main.shop.totals'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = 'd9b0a944f9962ef8d5b47e6339c0d3b6'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of main.shop.totals, nothing was published by this one')
end
)
) as s
on s._mview_op <> 'insert'
    and v.`customer` <=> s.`customer`
    and (v.`customer` between '1' and '9')
when matched and s._mview_op = 'put' then update set `customer` = s.`customer`, `total` = s.`total`
when matched then delete
when not matched and s._mview_op not in (
    'delete',
    '7b226462745f6d76696577223a207b226d766965775f6964223a20226d61696e2e73686f702e746f74616c73222c2022726566726573685f6a6f625f6964223a20226439623061393434663939363265663864356234376536333339633064336236222c20226c6f636b5f746f6b656e223a20322c20226d6574686f64223a202266617374222c2022726561736f6e223a202273686f702e6f7264657273207632202d3e20763420286167677265676174652c2035206368616e67656420726f777329222c202273746172746564223a20313730393239343430303030303030302c2022726561645f74696d65223a20313730393239343430303030303030302c2022736f7572636573223a205b7b2272656c6174696f6e223a20226d61696e2e73686f702e6f7264657273222c20227461626c655f6964223a2022742d31222c202276657273696f6e223a20342c2022636f6d6d69745f74696d65223a20313730393235333636303030303030302c2022726f7773223a20313030307d5d2c2022646566696e6974696f6e5f68617368223a20223937643264333763376132333066343766333661373461333634343361323664222c2022696e766f636174696f6e5f6964223a202230613162326333642d303030302d343030302d383030302d303030303030303030303430227d7d'
) then insert (`customer`, `total`)
    values (s.`customer`, s.`total`)
;

-- 19. read_describe_history
/* dbt_mview step=describe_history */
describe history `main`.`shop`.`totals` limit 10
;
