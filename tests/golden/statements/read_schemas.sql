/* dbt_mview step=schemas */
show schemas like 'shop_mview'
