{#
The last refreshes of one view, or of all, newest first.

Args: view (as mview_refresh, or none for all), limit (int), dry_run (bool: print the query).
Example: dbt run-operation mview_history --args '{view: orders_daily, limit: 5}'
#}
{% macro mview_history(view=none, limit=20, dry_run=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set ids = none if view is none else [dbt_mview._mview_id(dbt_mview._resolve(view))] -%}
    {%- if dry_run -%}
        {%- do print(dbt_mview._read_history_sql(ids, limit) ~ ";") -%} {{ return(none) }}
    {%- endif -%}
    {%- set lines = [] -%}
    {%- for row in dbt_mview._read_history(ids, limit).rows -%}
        {%- set seconds = ((row[2] | int) - (row[1] | int)) / 1000000 -%}
        {%- do lines.append(
            [
                row[0].split(".")[1:] | join("."),
                dbt_mview._iso(row[1] | int),
                seconds | round(1) ~ " s",
                row[3] or "-",
                row[4],
                "-" if row[5] is none else row[5],
                row[6] or "-",
                (row[7] or "-").replace("\n", " ")[:200],
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(
        ["view", "started", "took", "method", "status", "rows", "reason", "failed"],
        lines,
    ) -%}
{% endmacro %}
