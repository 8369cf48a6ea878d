/* dbt_mview step=sweep job=a93a8fdcd1cd03ce5915452d042e5a05 */
drop table if exists `shop_mview`.`mview_stage_a93a8fdcd1cd03ce5915452d042e5a05`
