/* dbt_mview step=logged_changes */
select
    count_if(_change_type in ('insert', 'update_postimage')) as came,
    count_if(_change_type in ('delete', 'update_preimage')) as went
from `spark_catalog`.`shop`.`orders_log` version as of 1
    where _commit_version > 2 and _commit_version <= 5
