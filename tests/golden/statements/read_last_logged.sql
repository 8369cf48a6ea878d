/* dbt_mview step=last_logged */
select
    max(_commit_version) as version,
    unix_micros(max_by(_commit_timestamp, _commit_version)) as commit_time
from `shop`.`orders_log` version as of 1
