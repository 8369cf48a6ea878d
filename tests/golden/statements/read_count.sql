/* dbt_mview step=count */
select count(*) from `main`.`shop`.`orders` version as of 4
