/* dbt_mview step=ensure_state job=0a1b2c3d-0000-4000-8000-000000000001 */
create schema if not exists `shop_mview`
