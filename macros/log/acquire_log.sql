{#
Step acquire_log: takes the lock in the log's one row of state, in one commit (NOWAIT).

Args: log_, job (row, see _read_log_row). Sets job.token, job.took_over.
Errors: another run is purging the log.
#}
{% macro _acquire_log(log_, job) %}
    {%- for attempt in range(20) if job.token is none -%}
        {%- set row = job.row if attempt == 0 else dbt_mview._read_log_row(log_.mlog_id) -%}
        {%- if attempt > 0 and row.lock_owner == job.owner -%}
            {#- Sent twice, see _is_ours. -#}
            {%- do job.update(
                {"token": row.lock_token, "took_over": job.row.lock_owner is not none}
            ) -%}
        {%- elif row.lock_owner and not row.lease_over -%}
            {%- do dbt_mview._raise_busy(
                "purging",
                log_.mlog_id,
                row,
                "nothing was purged by this one.",
            ) -%}
        {%- endif -%}
        {%- set outcome = dbt_mview._run(
            "acquire_log", dbt_mview._acquire_log_sql(log_, job, row.lock_token), job
        ) -%}
        {%- if job.dry_run or outcome[0][0] == "acquired" -%}
            {%- do job.update(
                {"token": row.lock_token + 1, "took_over": row.lock_owner is not none}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if job.token is none -%}
        {%- do dbt_mview._raise(
            log_.mlog_id,
            "its lock could not be taken in 20 tries.",
            "Run the purge again.",
        ) -%}
    {%- endif -%}
{% endmacro %}
