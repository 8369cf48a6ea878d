/* dbt_mview step=forget job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
-- retried on conflicts:
delete from `shop_mview`.`mview_refresh_info` where mview_id = 'spark_catalog.shop.totals' and lock_token = 2
