{# The lock again, for one more batch. Args: log_, job. Returns: bool, whether it is still ours. #}
{% macro _keep_lock(log_, job) %}
    {%- set sql = dbt_mview._keep_lock_sql(log_, job) -%}
    {%- set outcome = dbt_mview._run("keep_lock", sql, job) -%}
    {{ return(job.dry_run or outcome[0][0] == "acquired") }}
{% endmacro %}


{#
Whether a log is the one that a purge has looked at. One that began anew meanwhile counts from
another version of another table: nothing of it may be deleted by the versions of before.

Args: log_ (name, coverage). Returns: bool.
#}
{% macro _is_still(log_) %}
    {%- set property = dbt_mview._unhidden_properties(log_.name).get("dbt_mview.mlog", "{}") -%}
    {{ return(fromjson(property, {}).get("start") == log_.coverage.began) }}
{% endmacro %}
