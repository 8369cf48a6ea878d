{#
Gives the lock of a log back, if it is still this purge's, and moves its plan after a success. A
purge that failed before it was told of a lock may have taken it; or nobody has it.

Args: log_, job (token or none, owner, safe, plan), whole (bool: nothing up to the safe version is
    left), failed (bool).
Returns: SQL text.
#}
{% macro _free_log_sql(log_, job, whole, failed=false) -%}
update {{ dbt_mview._log_info_table() }}
set
    {%- if whole %}
    last_purged_version = {{ job.safe.version }},
    {{ dbt_mview._replan_sql(job.plan) }},
    {%- elif failed %}
    {{ dbt_mview._failed_again_sql() }},
    {%- endif %}
    lock_owner = null,
    lock_time = null,
    lease_until = null
where mlog_id = {{ dbt_mview._literal(log_.mlog_id) }}
    {%- if job.token is none %}
    and coalesce(lock_owner, {{ dbt_mview._literal(job.owner) }})
        = {{ dbt_mview._literal(job.owner) }}
    {%- else %}
    and lock_token = {{ job.token }}
    and lock_owner = {{ dbt_mview._literal(job.owner) }}
    {%- endif %}
{%- endmacro %}
