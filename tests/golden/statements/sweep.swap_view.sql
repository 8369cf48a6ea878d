/* dbt_mview step=sweep job=a93a8fdcd1cd03ce5915452d042e5a05 */
drop view if exists `shop`.`dbt_mview_backup_a93a8fdcd1cd03ce5915452d042e5a05`
