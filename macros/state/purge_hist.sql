{#
A purge's row of history, unless it is there: dbt-spark may send a statement twice (see _is_ours).

Args: log_, job (id, method), status, reason (strings or none). Returns: SQL text.
#}
{% macro _insert_purge_sql(log_, job, status, reason) -%}
insert into {{ dbt_mview._log_hist_table() }}
select
    {{ dbt_mview._literal(job.id) }}, {{ dbt_mview._literal(log_.mlog_id) }},
    {{ dbt_mview._literal(job.method) }}, current_timestamp(),
    {{ "cast(null as timestamp)" if status == "running" else "current_timestamp()" }},
    {{ dbt_mview._bigint(job.rows) }}, {{ dbt_mview._literal(status) }},
    {{ dbt_mview._literal(reason) }}
where not exists (
    select 1
    from {{ dbt_mview._log_hist_table() }}
    where mlog_id = {{ dbt_mview._literal(log_.mlog_id) }}
        and purge_job_id = {{ dbt_mview._literal(job.id) }}
)
{%- endmacro %}


{#
The end of this purge. One that failed after it had noted its success stays one.

Args: log_, job (id, rows), reason (or none). Returns: SQL text.
#}
{% macro _end_purge_sql(log_, job, reason) -%}
update {{ dbt_mview._log_hist_table() }}
set
    purge_endtime = current_timestamp(),
    purge_rows = {{ job.rows }},
    purge_status = {{ dbt_mview._literal("failed" if reason else "success") }},
    purge_failed_reason = {{ dbt_mview._literal(reason) }}
where mlog_id = {{ dbt_mview._literal(log_.mlog_id) }}
    and purge_job_id = {{ dbt_mview._literal(job.id) }}
    {%- if reason %}
    and purge_status = 'running'
    {%- endif %}
{%- endmacro %}


{# The end of purges that died. Args: log_, excuse (string, why, or none). Returns: SQL text. #}
{% macro _end_dead_purges_sql(log_, excuse=none) -%}
{%- set why = ": " ~ excuse if excuse else "; its lock was taken over" -%}
update {{ dbt_mview._log_hist_table() }}
set
    purge_endtime = current_timestamp(),
    purge_status = 'failed',
    purge_failed_reason = {{ dbt_mview._literal("the purge did not finish" ~ why) }}
where mlog_id = {{ dbt_mview._literal(log_.mlog_id) }} and purge_status = 'running'
{%- endmacro %}
