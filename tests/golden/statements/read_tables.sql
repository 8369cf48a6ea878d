/* dbt_mview step=tables */
show tables in `shop_mview` like 'mview_refresh_*|mview_stage_*'
