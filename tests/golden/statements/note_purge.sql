/* dbt_mview step=note_purge job=9f11cfaaf876d5f46c9d9cb4e37f4580 */
alter table `main`.`shop`.`orders_log` set tblproperties ('dbt_mview.purged' = '{"base": "main.shop.orders", "began": {"version": 2, "commit_time": 1709294400000000}, "start": {"version": 4, "commit_time": 1709253660000000}}')
