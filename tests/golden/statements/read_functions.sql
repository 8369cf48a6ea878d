/* dbt_mview step=functions */
show system functions
