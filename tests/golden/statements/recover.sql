/* dbt_mview step=recover job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
create or replace table `shop_mview`.`mview_stage_job-of-the-other` using delta as select 0 as n
