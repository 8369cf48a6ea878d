{#
Steps open_purge and note_purge: history knows of the purge, and the log begins later, before a row
goes.
#}
{#
Step open_purge: the purge has a row in history from here on. A dead one that left its row at
`running` is ended by the purge that takes its lock over.
#}
{% macro _open_purge(log_, job) %}
    {%- if job.took_over -%}
        {%- do dbt_mview._run(
            "open_purge",
            dbt_mview._retry_on_conflict_sql(dbt_mview._end_dead_purges_sql(log_)),
            job,
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run(
        "open_purge",
        dbt_mview._retry_on_conflict_sql(
            dbt_mview._insert_purge_sql(log_, job, "running", none)
        ),
        job,
    ) -%}
{% endmacro %}


{# Step note_purge: the log begins later from here on; rows go only after that. Args: log_, job. #}
{% macro _note_purge(log_, job) %}
    {%- if job.safe.version <= log_.coverage.start.version -%} {{ return(none) }}{%- endif -%}
    {%- set note = dbt_mview._purged_property(log_.coverage, job.safe) -%}
    {%- do dbt_mview._run(
        "note_purge",
        "alter table " ~ log_.name ~ " set tblproperties (" ~ note ~ ")",
        job,
    ) -%}
{% endmacro %}


{#
The property that says up to where a log was purged.

Args: coverage (see _coverage), upto (mapping version, commit_time). Returns: SQL text.
#}
{% macro _purged_property(coverage, upto) %}
    {%- set start = {"version": upto.version, "commit_time": upto.commit_time} -%}
    {%- set note = {"base": coverage.base, "began": coverage.began, "start": start} -%}
    {{ return("'dbt_mview.purged' = " ~ dbt_mview._json_literal(note)) }}
{% endmacro %}


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
