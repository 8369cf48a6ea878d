-- mview_drop: the lock, the table, its row
--   read_schemas, read_tables, read_layout, read_layout, read_state, read_schemas, read_catalog,
--   read_describe_history, acquire, drop, forget

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

-- 5. read_state
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
where mview_id in ('spark_catalog.shop.totals')
;

-- 6. read_schemas
/* dbt_mview step=schemas */
show schemas like 'shop'
;

-- 7. read_catalog
/* dbt_mview step=catalog */
show table extended in `shop` like 'totals'
;

-- 8. read_describe_history
/* dbt_mview step=describe_history */
describe history `shop`.`totals` limit 20
;

-- 9. acquire
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
        intent = '{"definition": null, "spec": null}'
    where mview_id = 'spark_catalog.shop.totals';
    select 'acquired' as outcome;
end
;

-- 10. drop
/* dbt_mview step=drop job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
drop table if exists `shop`.`totals`
;

-- 11. forget
/* dbt_mview step=forget job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
-- retried as in retry_on_conflict.sql:
delete from `shop_mview`.`mview_refresh_info` where mview_id = 'spark_catalog.shop.totals' and lock_token = 2
;
