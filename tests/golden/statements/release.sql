/* dbt_mview step=release job=6634fa48057cfd43976cec552ea31d06 */
-- retried on conflicts:
update `shop_mview`.`mview_refresh_info` set lock_owner = null, lock_time = null, lease_until = null, intent = null where mview_id = 'spark_catalog.shop.totals' and lock_token = 3 and lock_owner = '0a1b2c3d-0000-4000-8000-00000000000f'
