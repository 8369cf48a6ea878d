{# What a failed purge leaves in state. #}
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
What a failed model leaves of its purge, or of one that was due and did not begin. Where another run
is purging the log, that one writes.

Args: result (of a node, failed).
#}
{% macro _failed_purge(result) %}
    {%- set purges = dbt_mview._memory().purges -%}
    {%- set purge = purges.get(result.node.unique_id) -%}
    {%- set node = graph.nodes.get(result.node.unique_id) or {"config": {}} -%}
    {%- set is_log = node.config.get("materialized") == "materialized_view_log" -%}
    {%- if is_log and dbt_mview._config("purge", configs=node.config) and not purge -%}
        {{ return(dbt_mview._fail_before_purge(node)) }}
    {%- elif not purge or purge.job.closed -%} {{ return(none) }}
    {%- endif -%}
    {%- set log_, job, message = purge.log_, purge.job, result.message | string -%}
    {%- if job.refused -%} {{ return(none) }}{%- endif -%}
    {#- A row for a purge that came to no row of its own; else it is there, and ended below. -#}
    {%- set row = dbt_mview._insert_purge_sql(log_, job, "failed", message) -%}
    {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(row), job) -%}
    {%- do dbt_mview._close_purge(log_, job, message) -%}
{% endmacro %}


{#
A log that failed before its purge is due again later, as after a purge that failed: otherwise a
scheduler would run it without a pause.

Args: node (of the log).
#}
{% macro _fail_before_purge(node) %}
    {%- if not dbt_mview._memory().ensured_logs -%} {{ return(none) }}{%- endif -%}
    {%- set sql -%}
update {{ dbt_mview._log_info_table() }}
set
    {{ dbt_mview._count_failure_sql() }}
where mlog_id = {{ dbt_mview._literal(dbt_mview._mview_id(dbt_mview._relation_of(node))) }}
    and schedule is not null
    and next_time <= current_timestamp()
    and {{ dbt_mview._lease_over_sql() }}
    {%- endset -%}
    {%- set job = dbt_mview._bare_job() -%}
    {%- do dbt_mview._run("schedule", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}
