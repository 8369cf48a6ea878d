/* dbt_mview step=view_settings */
describe extended `spark_catalog`.`shop`.`stg` as json
