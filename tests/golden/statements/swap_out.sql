/* dbt_mview step=swap_out job=a93a8fdcd1cd03ce5915452d042e5a05 */
alter table `shop`.`totals` rename to `shop`.`dbt_mview_backup_a93a8fdcd1cd03ce5915452d042e5a05`
