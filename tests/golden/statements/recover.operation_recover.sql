/* dbt_mview step=recover job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
drop table if exists `shop_mview`.`mview_stage_job-of-the-other`
