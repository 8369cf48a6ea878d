{#
After a run: the scheduled purges that failed, other than in a batch (see _fail_purge), have ended,
count as failures, and free their locks.

Args: results (list of dbt's run results).
#}
{% macro _failed_purges(results) %}
    {%- for result in results if result.status | string in ["error", "fail", "runtime error"] -%}
        {%- do dbt_mview._failed_purge(result) -%}
    {%- endfor -%}
{% endmacro %}


{#
What a failed model leaves of its purge. Where another run is purging the log, that one writes.

Args: result (of a node, failed).
#}
{% macro _failed_purge(result) %}
    {%- set purges = dbt_mview._memory().get("purges", {}) -%}
    {%- set purge = purges.get(result.node.unique_id) -%}
    {%- if not purge or purge.job.closed -%} {{ return(none) }}{%- endif -%}
    {%- set log_, job, message = purge.log_, purge.job, result.message | string -%}
    {%- if "is purging " ~ log_.mlog_id in message -%} {{ return(none) }}{%- endif -%}
    {#- A row for a purge that came to no row of its own; else it is there, and ended below. -#}
    {%- set row = dbt_mview._insert_purge_sql(log_, job, "failed", message) -%}
    {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(row), job) -%}
    {%- do dbt_mview._close_purge(log_, job, message) -%}
{% endmacro %}
