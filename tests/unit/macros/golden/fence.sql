/* dbt_mview step=fence_transaction job=j */
insert into `shop`.`v`
with (
    'userMetadata' = '{"dbt_mview": {"fence": 7}}',
    'txnAppId' = 'dbt_mview:spark_catalog.shop.v',
    'txnVersion' = '6'
)
select * from `shop`.`v` where false
;
/* dbt_mview step=fence_metadata job=j */
alter table `shop`.`v` set tblproperties ('dbt_mview.fence' = '7')
;
