/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mlog_purge_hist` (
    purge_job_id string,
    mlog_id string,
    purge_method string,
    purge_time timestamp,
    purge_endtime timestamp,
    purge_rows bigint,
    purge_status string,
    purge_failed_reason string
)
using delta
partitioned by (mlog_id)
tblproperties (
    'dbt_mview.layout' = '6',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingNumIndexedCols' = '0'
)
