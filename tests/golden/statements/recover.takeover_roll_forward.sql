/* dbt_mview step=recover job=6634fa48057cfd43976cec552ea31d06 */
drop table if exists `shop_mview`.`mview_stage_9b1ad6f0a4bab59c3076cf23fdce84e5`
