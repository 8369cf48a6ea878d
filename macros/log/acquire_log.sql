{#
Step acquire_log: takes the lock in the log's one row of state, in one commit (NOWAIT). Who was not
quick enough looks at the log again, because another purge may have come between.

Args: mlog_id, job (row, needless). Sets job.token (none where there is nothing to purge),
    job.took_over.
Errors: another run is purging the log; of several that are asked for, it is passed over.
#}
{% macro _acquire_log(mlog_id, job) %}
    {%- for attempt in range(20) if job.token is none and not job.needless -%}
        {%- set before = job.row -%}
        {%- if attempt > 0 -%}
            {%- do job.update({"row": dbt_mview._read_log_row(mlog_id)}) -%}
        {%- endif -%}
        {%- set row = job.row -%}
        {%- if attempt > 0 and row.lock_owner == job.owner -%}
            {#- Sent twice, see _is_ours. -#}
            {%- do job.update(
                {"token": row.lock_token, "took_over": before.lock_owner is not none}
            ) -%}
        {%- elif row.lock_owner and not row.lease_over and job.pass_over -%}
            {%- do exceptions.warn(
                "dbt_mview: "
                ~ mlog_id
                ~ ": another run is purging it, this one does not"
            ) -%}
            {%- do job.update({"needless": true, "log": none}) -%}
        {%- elif row.lock_owner and not row.lease_over -%}
            {%- do dbt_mview._raise_busy(
                "purging", mlog_id, row, "nothing was purged by this one."
            ) -%}
        {%- else -%}
            {%- if attempt > 0 -%} {%- do dbt_mview._look_at_purge(mlog_id, job) -%}
            {%- endif -%}
            {%- if not job.needless -%} {%- do dbt_mview._try_lock(job) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if job.token is none and not job.needless -%}
        {%- do dbt_mview._raise(
            mlog_id,
            "its lock could not be taken in 20 tries.",
            "Run the purge again.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# One try, by the row as it was read. Args: job (log, row). Sets job.token, job.took_over. #}
{% macro _try_lock(job) %}
    {%- set seen = job.row.lock_token -%}
    {%- set sql = dbt_mview._acquire_log_sql(job.log, job, seen) -%}
    {%- set outcome = dbt_mview._run("acquire_log", sql, job) -%}
    {%- if job.dry_run or outcome[0][0] == "acquired" -%}
        {%- do job.update({"token": seen + 1, "took_over": job.row.lock_owner is not none}) -%}
    {%- endif -%}
{% endmacro %}
