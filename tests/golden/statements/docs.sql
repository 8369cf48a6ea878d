/* dbt_mview step=docs job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
alter table `shop`.`totals` alter column `total` comment 'It\'s the sum.'
