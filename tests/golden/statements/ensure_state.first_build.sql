/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create table if not exists `shop_mview`.`mview_refresh_hist` (
    refresh_job_id string,
    mview_id string,
    refresh_method string,
    refresh_reason string,
    refresh_time timestamp,
    refresh_endtime timestamp,
    refresh_rows bigint,
    refresh_status string,
    refresh_failed_reason string,
    sources array<struct<relation: string, table_id: string, version: bigint, commit_time: timestamp>>,
    invocation_id string,
    refresh_group string
)
using delta
partitioned by (mview_id)
tblproperties (
    'dbt_mview.layout' = '6',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingNumIndexedCols' = '0'
)
