{#
Keeps state and logs small: deletes history older than the var dbt_mview:history_days, compacts the
state tables and the materialized view logs, and removes files that no version of the last days
needs. What views need of a log stays; mlog_purge takes the rest.

Args: dry_run (bool: print the statements).
Errors: dbt_mview:history_days is no whole number above 0.
Example: dbt run-operation mview_maintain
#}
{% macro mview_maintain(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set job = {"id": invocation_id, "dry_run": dry_run} -%}
    {%- set days = dbt_mview._count_from_var("dbt_mview:history_days", 30) -%}
    {%- for statement in dbt_mview._maintain_sql(days, dbt_mview._logs_there()) -%}
        {%- do dbt_mview._run("maintain", statement, job) -%}
    {%- endfor -%}
    {%- if not dry_run -%}
        {%- do print("dbt_mview: state and logs compacted and pruned") -%}
    {%- endif -%}
{% endmacro %}
