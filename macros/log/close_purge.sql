{#
Step close_purge: the row of history; then how far the log is purged, where the last batch found
less than it may take, and the lock. In this order a purge that dies between leaves a lock, which
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


{# Nothing to purge: one row in history, no lock; a plan moves all the same. Args: log_, job. #}
{% macro _record_nothing(log_, job) %}
    {%- set sql = dbt_mview._insert_purge_sql(log_, job, "success", none) -%}
    {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(sql), job) -%}
    {%- if job.plan -%} {%- do dbt_mview._replan_log(log_.mlog_id, job) -%} {%- endif -%}
{% endmacro %}
