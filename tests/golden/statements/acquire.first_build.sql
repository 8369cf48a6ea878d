/* dbt_mview step=acquire job=a93a8fdcd1cd03ce5915452d042e5a05 */
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    merge into `shop_mview`.`mview_refresh_info` as t
    using (select 1 as one) as s
    on t.mview_id = 'spark_catalog.shop.totals'
    when matched then update set lock_owner = raise_error('busy')
    when not matched then insert
        (mview_id, last_refresh_result, lock_owner, lock_token, lock_time, lease_until,
        refresh_job_id, intent)
        values (
            'spark_catalog.shop.totals', 'running', '0a1b2c3d-0000-4000-8000-000000000001',
            1, current_timestamp(), current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600), 'a93a8fdcd1cd03ce5915452d042e5a05',
            '{"definition": "select customer, sum(amount) as total from shop.orders group by customer", "spec": {"schema": "shop", "identifier": "totals", "refresh": "auto", "unique_key": [], "audit": [], "layout": {"partition_by": [], "liquid_clustered_by": [], "location": null, "tblproperties": {}, "change_feed": null, "constraints": {}}, "on_configuration_change": "apply", "on_schema_change": "sync_all_columns", "read_consistency": "run", "description": null, "refresh_group": null, "project": "shop", "target": "dev", "target_schema": "shop", "grants": {}, "column_comments": "99914b932bd37a50b983c5e7c90ae93b", "time_zone": "UTC", "took": null}, "reads": ["spark_catalog.shop.orders"]}'
        );
    select 'acquired' as outcome;
end
