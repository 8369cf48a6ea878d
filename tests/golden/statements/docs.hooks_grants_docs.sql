/* dbt_mview step=docs job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
comment on table `shop`.`totals` is 'It\'s new.'
