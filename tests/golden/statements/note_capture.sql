/* dbt_mview step=note_capture job=2255ad8745c8ad54f9a6d0dd935ab2ce */
alter table `shop`.`orders_log` set tblproperties ('dbt_mview.captured' = '{"base": "spark_catalog.shop.orders", "began": {"version": 2, "commit_time": 1709253000000000}, "captured": {"version": 4, "commit_time": 1709253660000000}, "log_version": 1}')
