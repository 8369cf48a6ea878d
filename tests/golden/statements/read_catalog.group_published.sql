/* dbt_mview step=catalog */
show table extended in `shop` like 'sums'
