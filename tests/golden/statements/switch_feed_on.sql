/* dbt_mview step=switch_feed_on job=20f1ea5b89b0d23c3ed661f6f3145e80 */
alter table `main`.`shop`.`orders` set tblproperties ('delta.enableChangeDataFeed' = 'true')
