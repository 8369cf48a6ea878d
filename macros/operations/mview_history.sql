{#
The last refreshes of one view, or of all, newest first. Of all, those of a refresh group in one run
are one line.

Args: view (as mview_refresh, or none for all), limit (int, how many refreshes of single views are
    read), dry_run (bool: print the query).
Errors: a limit that is no whole number above 0.
Example: dbt run-operation mview_history --args '{view: orders_daily, limit: 5}'
#}
{% macro mview_history(view=none, limit=20, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if limit is not integer or limit < 1 -%}
        {%- do dbt_mview._raise(
            "mview_history", "limit is '" ~ limit ~ "'.", "Give a whole number above 0."
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set ids = none if view is none else [dbt_mview._mview_id(dbt_mview._resolve(view))] -%}
    {%- if dry_run -%}
        {%- do print(dbt_mview._read_history_sql(ids, limit) ~ ";") -%} {{ return(none) }}
    {%- endif -%}
    {%- set refreshes = {} -%}
    {%- for row in dbt_mview._read_history(ids, limit).rows -%}
        {%- set key = row[10] ~ " " ~ row[9] if row[10] and view is none else loop.index -%}
        {%- do refreshes.setdefault(key, []).append(row) -%}
    {%- endfor -%}
    {%- set lines = [] -%}
    {%- for rows in refreshes.values() -%}
        {%- do lines.append(dbt_mview._history_line(rows)) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(
        ["view", "started", "took", "method", "status", "rows", "reason", "failed"],
        lines,
        "mview_history: there is no refresh in history",
    ) -%}
{% endmacro %}


{#
One refresh, or that of a group: from its first start to its last end, failed if one of it did.

Args: rows (list, see _read_history, of one view or of the members of a group). Returns: list.
#}
{% macro _history_line(rows) %}
    {%- set name = dbt_mview._short_name(rows[0][0]) -%}
    {%- if rows | length > 1 -%}
        {%- set short = [] -%}
        {%- for row in rows -%} {%- do short.append(row[0].split(".")[2]) -%} {%- endfor -%}
        {%- set name = "group " ~ rows[0][10] ~ ": " ~ short | sort | join(", ") -%}
    {%- endif -%}
    {%- set started = rows | map(attribute=1) | map("int") | min -%}
    {%- set ended = rows | map(attribute=2) | map("int") | max -%}
    {%- set counts = rows | map(attribute=5) | reject("none") | map("int") | list -%}
    {%- set columns = {} -%}
    {%- for at in [3, 4, 6, 7] -%}
        {%- set texts = rows | map(attribute=at) | select | unique(case_sensitive=true) | list -%}
        {%- do columns.update({at: (texts | join("; ")).replace("\n", " ")}) -%}
    {%- endfor -%}
    {{
        return(
            [
                name,
                dbt_mview._iso(started),
                ((ended - started) / 1000000) | round(1) ~ " s",
                columns[3] or "-",
                "failed" if "failed" in columns[4] else columns[4],
                counts | sum if counts else "-",
                columns[6] or "-",
                columns[7][:200] or "-",
            ]
        )
    }}
{% endmacro %}
