/* dbt_mview step=catalog */
show table extended in `main`.`shop` like 'totals'
