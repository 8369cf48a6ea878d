/* dbt_mview step=fence job=j */
alter table `shop`.`v` set tblproperties ('dbt_mview.fence' = '7')
