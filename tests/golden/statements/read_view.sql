/* dbt_mview step=view */
describe extended `spark_catalog`.`shop`.`stg`
