/* dbt_mview step=schemas */
show schemas in `main` like 'shop'
