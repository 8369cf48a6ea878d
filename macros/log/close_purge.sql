{# Step close_purge: the end in history, then the lock. Also the end of a purge that failed. #}
{#
Step close_purge: ends the row of history, then frees the lock, with how far the log is purged once
nothing up to the safe version is left. In this order a purge that dies between leaves a lock, which
the next one takes over, and no row that says `running` for ever.

Args: log_, job, reason (string, why it failed, or none).
#}
{% macro _close_purge(log_, job, reason=none) %}
    {%- set whole = not (job.stopped or reason) -%}
    {%- for sql in [
        dbt_mview._end_purge_sql(log_, job, reason),
        dbt_mview._free_log_sql(log_, job, whole, reason is not none),
    ] -%}
        {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(sql), job) -%}
    {%- endfor -%}
{% endmacro %}


{# Nothing to purge: one row in history, no lock; a plan still moves. Args: log_, job. #}
{% macro _record_nothing(log_, job) %}
    {%- set sql = dbt_mview._insert_purge_sql(log_, job, "success", none) -%}
    {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(sql), job) -%}
    {%- if job.plan -%} {%- do dbt_mview._replan_log(log_.mlog_id, job) -%} {%- endif -%}
{% endmacro %}


{#
A batch that failed: history says so, the lock is free, the engine's own error is the user's.

Args: log_, job, sql (the statement).
#}
{% macro _fail_purge(log_, job, sql) %}
    {%- do dbt_mview._close_purge(
        log_, job, "batch " ~ job.batches ~ " failed; the run's own log has the error"
    ) -%}
    {%- do job.update({"closed": true}) -%}
    {%- if not dbt_mview._is_same_log(log_) -%}
        {%- do dbt_mview._raise(
            log_.mlog_id,
            "batch " ~ job.batches ~ " failed: the log was rebuilt meanwhile.",
            "Run the purge again.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run("purge_batch", sql, job) -%}
    {%- do dbt_mview._raise(
        log_.mlog_id,
        "batch "
        ~ job.batches
        ~ " failed, and went through when it was run again to show its error.",
        "Run the purge again for the rest.",
    ) -%}
{% endmacro %}


{#
Gives the lock of a log back, if it is still this purge's, and moves its plan after a success. A
purge that failed before it knew of a lock may have taken it; or nobody has it.

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
    {{ dbt_mview._count_failure_sql() }},
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


{# A failure of a log that nobody is purging. Args: mlog_id. Returns: SQL text. #}
{% macro _charge_log_sql(mlog_id) -%}
update {{ dbt_mview._log_info_table() }}
set
    {{ dbt_mview._count_failure_sql() }}
where mlog_id = {{ dbt_mview._literal(mlog_id) }} and lock_owner is null
{%- endmacro %}
