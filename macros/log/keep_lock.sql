{# The lock again, for one more batch. Args: log_, job. Returns: bool, whether it is still ours. #}
{% macro _keep_lock(log_, job) %}
    {%- set sql = dbt_mview._keep_lock_sql(log_, job) -%}
    {%- set outcome = dbt_mview._run("keep_lock", sql, job) -%}
    {{ return(job.dry_run or outcome[0][0] == "acquired") }}
{% endmacro %}
