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
