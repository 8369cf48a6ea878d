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
where lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f'
    or (lock_owner is not null and get_json_object(intent, '$.definition') is null)
