/* dbt_mview step=acquire job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mview_refresh_info`
    set
        lock_owner = case
            when lock_token = 1 and (
                lock_owner is null or coalesce(lease_until < current_timestamp(), true)
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
