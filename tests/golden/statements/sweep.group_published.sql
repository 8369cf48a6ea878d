/* dbt_mview step=sweep job=6e48a59bdb403f0a3d89ffd5a7cfae51 */
drop table if exists `shop_mview`.`mview_stage_6e48a59bdb403f0a3d89ffd5a7cfae51`
