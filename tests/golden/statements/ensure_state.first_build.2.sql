/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mview_refresh_info` (
    mview_id string,
    definition string,
    definition_hash string,
    spec string,
    sources array<struct<relation: string, table_id: string, version: bigint, commit_time: timestamp>>,
    last_successful_refresh_read_time timestamp,
    last_refresh_result string,
    last_refresh_type string,
    last_refresh_time timestamp,
    last_refresh_failed_reason string,
    target_version bigint,
    next_time timestamp,
    lock_owner string,
    lock_token bigint,
    lock_time timestamp,
    lease_until timestamp,
    refresh_job_id string,
    intent string,
    schedule string,
    failures bigint,
    retry_time timestamp,
    paused_time timestamp
)
using delta
partitioned by (mview_id)
tblproperties (
    'dbt_mview.layout' = '6',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingStatsColumns' = 'schedule,next_time,retry_time,failures,lease_until,paused_time,last_refresh_time'
)
