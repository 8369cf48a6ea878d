{#
Deletes the rows of logs whose tables are gone and that no model of this project answers for; a log
that is being purged keeps its row.

Args: dry_run (bool: print the statements).
#}
{% macro _forget_gone_logs(dry_run=false) %}
    {%- set models = [] -%}
    {%- for node in graph.nodes.values() if node.resource_type == "model" -%}
        {%- if node.config.get("materialized") == "materialized_view_log" -%}
            {%- do models.append(dbt_mview._mview_id(dbt_mview._relation_of(node))) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set job = {"id": invocation_id, "dry_run": dry_run} -%}
    {%- set logs = dbt_mview._logs_of() -%}
    {%- if logs -%} {%- do dbt_mview._ensure_state(dry_run, logs=true) -%} {%- endif -%}
    {%- for mlog_id in logs if mlog_id not in models -%}
        {%- set locked = not dbt_mview._read_log_row(mlog_id).lease_over -%}
        {%- if not locked and not dbt_mview._find_log(mlog_id).coverage.base -%}
            {%- do dbt_mview._forget_log(mlog_id, job) -%}
            {%- if not dry_run -%} {%- do print(mlog_id ~ ": forgotten") -%} {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
