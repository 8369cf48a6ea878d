{#
A batch that failed: history says so, the lock is free, the engine's own error is the user's.

Args: log_, job, sql (the statement).
#}
{% macro _fail_purge(log_, job, sql) %}
    {%- do dbt_mview._close_purge(
        log_, job, "batch " ~ job.batches ~ " failed; the run's own log has the error"
    ) -%}
    {%- do job.update({"closed": true}) -%}
    {%- if not dbt_mview._is_still(log_) -%}
        {%- do dbt_mview._raise(
            log_.mlog_id,
            "batch " ~ job.batches ~ " failed: the log began anew meanwhile.",
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
