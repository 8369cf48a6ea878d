/* dbt_mview step=fence job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
alter table `shop`.`totals` set tblproperties ('dbt_mview.fence' = '6')
