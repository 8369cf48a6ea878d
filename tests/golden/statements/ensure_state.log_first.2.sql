/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mlog_purge_info` (
    mlog_id string,
    base string,
    next_time timestamp,
    last_purged_version bigint,
    lock_owner string,
    lock_token bigint,
    lock_time timestamp,
    lease_until timestamp,
    schedule string,
    failures bigint,
    retry_time timestamp,
    paused_time timestamp
)
using delta
partitioned by (mlog_id)
tblproperties (
    'dbt_mview.layout' = '6',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingStatsColumns' = 'schedule,next_time,retry_time,failures,lease_until,paused_time'
)
