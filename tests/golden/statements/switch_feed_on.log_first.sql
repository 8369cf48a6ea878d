/* dbt_mview step=switch_feed_on job=5c1c1601f9020b40d5544e4e60f9d0d8 */
alter table `spark_catalog`.`shop`.`orders` set tblproperties ('delta.enableChangeDataFeed' = 'true')
