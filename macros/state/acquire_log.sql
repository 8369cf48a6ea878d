{# Args: log_, job, seen (int, the token as looked at). Returns: SQL text, a script. #}
{% macro _acquire_log_sql(log_, job, seen) %}
    {%- set free = "lock_owner is null or lease_until < current_timestamp()" -%}
    {%- set condition = "coalesce(lock_token, 0) = " ~ seen ~ " and (" ~ free ~ ")" -%}
    {{ return(dbt_mview._lock_log_sql(log_, job, condition, seen + 1)) }}
{% endmacro %}


{# Args: log_, job (token, owner). Returns: SQL text, a script. #}
{% macro _keep_lock_sql(log_, job) %}
    {%- set owner = dbt_mview._literal(job.owner) -%}
    {%- set condition = "lock_token = " ~ job.token ~ " and lock_owner = " ~ owner -%}
    {{ return(dbt_mview._lock_log_sql(log_, job, condition, job.token)) }}
{% endmacro %}
