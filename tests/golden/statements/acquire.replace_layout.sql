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
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 300),
        last_refresh_result = 'running',
        refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5',
        intent = '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": ["customer"], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": {"complete": null, "first": 0.0, "last": [["first", 0, 0.0]]}}, "reads": ["spark_catalog.shop.orders"]}'
    where mview_id = 'spark_catalog.shop.totals';
    select 'acquired' as outcome;
end
