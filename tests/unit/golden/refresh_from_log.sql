-- FAST from a log, and from the feed after it
--   read_schemas, read_tables, read_layout, read_layout, read_clock, read_state, read_explain,
--   read_catalog, read_describe_history, read_properties, read_describe_history, acquire,
--   read_describe_query, read_describe_query, read_functions, read_tables, read_logs, read_catalog,
--   read_describe_history, read_properties, read_logged_changes, read_describe_query, read_columns,
--   read_count, read_describe_detail, stage, read_staged_changes, publish, read_describe_history,
--   sweep, grants, record, record
-- told: FAST v1, 6 rows: shop.orders v2 -> v7 (aggregate, 10 changed rows)

-- 1. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop_mview'
;

-- 2. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mview_refresh_*|mview_stage_*'
;

-- 3. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_info`
;

-- 4. read_layout
/* dbt_mview step=layout */
show tblproperties `shop_mview`.`mview_refresh_hist`
;

-- 5. read_clock
/* dbt_mview step=clock */
select unix_micros(current_timestamp()) as micros, current_timezone() as zone, typeof(coalesce(1, '1')) as common_type, current_timestamp() as now, timestamp_micros(1704110400000000) as winter, timestamp_micros(1719835200000000) as summer
;

-- 6. read_state
/* dbt_mview step=state */
select
    mview_id,
    definition,
    definition_hash,
    spec,
    to_json(transform(sources, s -> named_struct(
        'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
        'commit_time', unix_micros(s.commit_time)
    )), map('ignoreNullFields', 'false')) as sources,
    unix_micros(last_successful_refresh_read_time) as last_successful_refresh_read_time,
    last_refresh_result,
    last_refresh_type,
    unix_micros(last_refresh_time) as last_refresh_time,
    last_refresh_failed_reason,
    target_version,
    unix_micros(next_time) as next_time,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    refresh_job_id,
    intent,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    coalesce(lease_until < current_timestamp(), true) as lease_over
from `shop_mview`.`mview_refresh_info`
;

-- 7. read_explain
/* dbt_mview step=explain */
explain extended
select * from (
select customer, sum(amount) as total from shop.orders group by customer
) where false
;

-- 8. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 9. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 10. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders`
;

-- 11. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders` limit 10
;

-- 12. acquire
/* dbt_mview step=acquire job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mview_refresh_info`
    set
        lock_owner = case
            when lock_token = 1 and (
                lock_owner is null or lease_until < current_timestamp()
            ) then '0a1b2c3d-0000-4000-8000-000000000002'
            else raise_error('busy')
        end,
        lock_token = 2,
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600),
        last_refresh_result = 'running',
        refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5',
        intent = '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"]}'
    where mview_id = 'spark_catalog.shop.totals';
    select 'acquired' as outcome;
end
;

-- 13. read_describe_query
/* dbt_mview step=describe_query */
describe query
select customer, sum(amount) as total from shop.orders version as of 7 group by customer
;

-- 14. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `shop`.`totals`
;

-- 15. read_functions
/* dbt_mview step=functions */
show system functions
;

-- 16. read_tables
/* dbt_mview step=tables */
show tables in `shop_mview` like 'mlog_purge_info'
;

-- 17. read_logs
/* dbt_mview step=logs */
select mlog_id from `shop_mview`.`mlog_purge_info` where base = 'spark_catalog.shop.orders' order by mlog_id
;

-- 18. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'orders_log'
;

-- 19. read_describe_history
/* dbt_mview step=describe_history */
describe history `spark_catalog`.`shop`.`orders_log` limit 20
;

-- 20. read_properties
/* dbt_mview step=properties */
show tblproperties `spark_catalog`.`shop`.`orders_log`
;

-- 21. read_logged_changes
/* dbt_mview step=logged_changes */
select
    count_if(_change_type in ('insert', 'update_postimage')) as came,
    count_if(_change_type in ('delete', 'update_preimage')) as went
from `spark_catalog`.`shop`.`orders_log` version as of 1
    where _commit_version > 2 and _commit_version <= 5
;

-- 22. read_describe_query
/* dbt_mview step=describe_query */
describe query
select * from `spark_catalog`.`shop`.`orders_log` version as of 1
;

-- 23. read_columns
/* dbt_mview step=columns */
describe query
select 1 as `mview:0`, t0.*
from `spark_catalog`.`shop`.`orders` version as of 7 as t0
;

-- 24. read_count
/* dbt_mview step=count */
select count(*) from `spark_catalog`.`shop`.`orders` version as of 7
;

-- 25. read_describe_detail
/* dbt_mview step=describe_detail */
describe detail `shop`.`totals`
;

-- 26. stage
/* dbt_mview step=stage job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
create or replace table `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
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
        from (
            select `customer`, `amount`, _change_type
            from `spark_catalog`.`shop`.`orders_log` version as of 1
    where _commit_version > 2 and _commit_version <= 5
            union all
            select `customer`, `amount`, _change_type
            from table_changes('`spark_catalog`.`shop`.`orders`', 6, 7)
        ) as _mview_feed
        where case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: U+FFFD in a text of spark_catalog.shop.orders, which its feed gives for what is no UTF-8, too: use refresh auto or --full-refresh') else true end
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
        from (
            select `customer`, `amount`, _change_type
            from `spark_catalog`.`shop`.`orders_log` version as of 1
    where _commit_version > 2 and _commit_version <= 5
            union all
            select `customer`, `amount`, _change_type
            from table_changes('`spark_catalog`.`shop`.`orders`', 6, 7)
        ) as _mview_feed
        where case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: U+FFFD in a text of spark_catalog.shop.orders, which its feed gives for what is no UTF-8, too: use refresh auto or --full-refresh') else true end
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

-- 27. read_staged_changes
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
from `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5` as s
left join `shop`.`totals` version as of 0 as v
    on s.`customer` <=> v.`customer`
)
;

-- 28. publish
/* dbt_mview step=publish job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
merge into `shop`.`totals` as v
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
from `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5` as s
left join `shop`.`totals` version as of 0 as v
    on s.`customer` <=> v.`customer`
)
union all
select null, null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'spark_catalog.shop.totals'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
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
    '7b226462745f6d76696577223a207b226d766965775f6964223a2022737061726b5f636174616c6f672e73686f702e746f74616c73222c2022726566726573685f6a6f625f6964223a20223962316164366630613462616235396333303736636632336664636538346535222c20226c6f636b5f746f6b656e223a20322c20226d6574686f64223a202266617374222c2022726561736f6e223a202273686f702e6f7264657273207632202d3e20763720286167677265676174652c203130206368616e67656420726f777329222c202273746172746564223a20313730393239343430303030303030302c2022726561645f74696d65223a20313730393239343430303030303030302c2022736f7572636573223a205b7b2272656c6174696f6e223a2022737061726b5f636174616c6f672e73686f702e6f7264657273222c20227461626c655f6964223a2022742d31222c202276657273696f6e223a20372c2022636f6d6d69745f74696d65223a20313730393235343932303030303030302c2022726f7773223a20313030307d5d2c2022646566696e6974696f6e5f68617368223a20223937643264333763376132333066343766333661373461333634343361323664222c2022696e766f636174696f6e5f6964223a202230613162326333642d303030302d343030302d383030302d303030303030303030303032227d7d'
) then insert (`customer`, `total`)
    values (s.`customer`, s.`total`)
;

-- 29. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 10
;

-- 30. sweep
/* dbt_mview step=sweep job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
drop table if exists `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
;

-- 31. grants
shop.totals: {} revoke=True
;

-- 32. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000002 */
-- retried as in retry_on_conflict.sql:
insert into `shop_mview`.`mview_refresh_hist`
select
    job_id, mview_id, method, reason, started, coalesce(ended, current_timestamp()), rows,
    result, failed_reason, sources, invocation_id, refresh_group
from (
select
        * except (sources_json),
        transform(
            from_json(
                sources_json,
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ) as sources
    from values
        ('spark_catalog.shop.totals', '9b1ad6f0a4bab59c3076cf23fdce84e5', '0a1b2c3d-0000-4000-8000-000000000002', cast(2 as bigint), 'success', 'fast', true, 'fast', 'shop.orders v2 -> v7 (aggregate, 10 changed rows)', cast(null as string), timestamp_micros(1709294400000000), timestamp_micros(1709294400000000), cast(6 as bigint), '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 7, "commit_time": 1709254920000000, "rows": 1000}]', timestamp_micros(1709294400000000), cast(1 as bigint), 'select customer, sum(amount) as total from shop.orders group by customer', '97d2d37c7a230f47f36a74a36443a26d', '{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["fast", 10, 0.0], ["first", 0, 0.0]]}}', '0a1b2c3d-0000-4000-8000-000000000002', cast(null as string), false, cast(null as string), cast(null as timestamp), cast(null as timestamp))
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
) as s
left anti join (
    select refresh_job_id
    from `shop_mview`.`mview_refresh_hist`
    where mview_id in ('spark_catalog.shop.totals')
        and refresh_job_id in ('9b1ad6f0a4bab59c3076cf23fdce84e5')
) as h on h.refresh_job_id = s.job_id
;

-- 33. record
/* dbt_mview step=record job=0a1b2c3d-0000-4000-8000-000000000002 */
-- retried as in retry_on_conflict.sql:
update `shop_mview`.`mview_refresh_info`
set
    failures = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', null, failures),
    retry_time = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', null, retry_time),
    definition = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', coalesce('select customer, sum(amount) as total from shop.orders group by customer', definition), definition),
    definition_hash = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', coalesce('97d2d37c7a230f47f36a74a36443a26d', definition_hash), definition_hash),
    spec = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', coalesce('{"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["fast", 10, 0.0], ["first", 0, 0.0]]}}', spec), spec),
    sources = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', transform(
            from_json(
                '[{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 7, "commit_time": 1709254920000000, "rows": 1000}]',
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ), sources),
    last_successful_refresh_read_time = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', timestamp_micros(1709294400000000), last_successful_refresh_read_time),
    last_refresh_result = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', 'success', last_refresh_result),
    last_refresh_type = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', 'fast', last_refresh_type),
    last_refresh_time = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', current_timestamp(), last_refresh_time),
    last_refresh_failed_reason = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', cast(null as string), last_refresh_failed_reason),
    target_version = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', cast(1 as bigint), target_version),
    intent = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', null, intent),
    lock_owner = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', null, lock_owner),
    lock_time = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', null, lock_time),
    lease_until = if(lock_token = cast(2 as bigint) and lock_owner = '0a1b2c3d-0000-4000-8000-000000000002', null, lease_until)
where mview_id in ('spark_catalog.shop.totals')
;
