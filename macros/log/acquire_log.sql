{# Step acquire_log: the lock of a log (NOWAIT), and the lock again for each further batch. #}
{#
Step acquire_log: takes the lock in the log's one row of state, in one commit (NOWAIT). The loser of
a race reads the log again, because another purge may have come between.

Args: mlog_id, job (row, needless). Sets job.token (none where there is nothing to purge),
    job.took_over.
Errors: another run is purging the log; if several logs are asked for, this one is skipped.
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
            {%- do job.update({"refused": true}) -%}
            {%- do dbt_mview._raise_busy(
                "purging", mlog_id, row, "nothing was purged by this one."
            ) -%}
        {%- else -%}
            {%- if attempt > 0 -%} {%- do dbt_mview._inspect_purge(mlog_id, job) -%}
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


{# Args: log_, job, seen (int, the token that was read). Returns: SQL text, a script. #}
{% macro _acquire_log_sql(log_, job, seen) %}
    {%- set free = "lock_owner is null or " ~ dbt_mview._lease_over_sql() -%}
    {%- set condition = "coalesce(lock_token, 0) = " ~ seen ~ " and (" ~ free ~ ")" -%}
    {{ return(dbt_mview._lock_log_sql(log_, job, condition, seen + 1)) }}
{% endmacro %}


{# The lock again, for one more batch. Args: log_, job. Returns: bool, whether it is still ours. #}
{% macro _keep_lock(log_, job) %}
    {%- set sql = dbt_mview._keep_lock_sql(log_, job) -%}
    {%- set outcome = dbt_mview._run("keep_lock", sql, job) -%}
    {{ return(job.dry_run or outcome[0][0] == "acquired") }}
{% endmacro %}


{# Args: log_, job (token, owner). Returns: SQL text, a script. #}
{% macro _keep_lock_sql(log_, job) %}
    {%- set owner = dbt_mview._literal(job.owner) -%}
    {%- set condition = "lock_token = " ~ job.token ~ " and lock_owner = " ~ owner -%}
    {{ return(dbt_mview._lock_log_sql(log_, job, condition, job.token)) }}
{% endmacro %}


{#
The lock of a log, in one commit that is made only where the condition holds.

Args: log_, job (owner), condition (SQL text), token (int, the new one).
Returns: SQL text, a script whose one row says acquired, busy or conflict.
#}
{% macro _lock_log_sql(log_, job, condition, token) -%}
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update {{ dbt_mview._log_info_table() }}
    set
        lock_owner = case
            when {{ condition }} then {{ dbt_mview._literal(job.owner) }}
            else raise_error('busy')
        end,
        lock_token = {{ token }},
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + {{ dbt_mview._lease_sql() }}
    where mlog_id = {{ dbt_mview._literal(log_.mlog_id) }};
    select 'acquired' as outcome;
end
{%- endmacro %}


{#
Whether a log is still the one that a purge has read. One that was started again meanwhile counts
from another version of another table: nothing of it may be deleted by the old versions.

Args: log_ (name, coverage). Returns: bool.
#}
{% macro _is_same_log(log_) %}
    {%- set property = dbt_mview._unhidden_properties(log_.name).get("dbt_mview.mlog", "{}") -%}
    {{ return(fromjson(property, {}).get("start") == log_.coverage.began) }}
{% endmacro %}
