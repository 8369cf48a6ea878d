/* dbt_mview step=drop job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
drop table if exists `shop`.`totals`
