/* dbt_mview step=swap_in job=a93a8fdcd1cd03ce5915452d042e5a05 */
alter table `shop`.`dbt_mview_new_a93a8fdcd1cd03ce5915452d042e5a05` rename to `shop`.`totals`
