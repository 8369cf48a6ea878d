/* dbt_mview step=extensions */
select '${spark.sql.extensions}' as extensions
