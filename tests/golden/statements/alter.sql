/* dbt_mview step=alter job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
alter table `shop`.`totals` set tblproperties ('b' = '3')
