{#
What flashback has: track points, from when to when, how much history, who reads the past, and which
tables are not guaranteed to stay readable, with the reason.

Args: dry_run (bool: print the query).
Example: dbt run-operation mview_flashback_status
#}
{% macro mview_flashback_status(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if dry_run -%}
        {%- do print(dbt_mview._flashback_status_sql() ~ ";") -%} {{ return("") }}
    {%- endif -%}
    {%- set settings = dbt_mview._flashback_settings() -%}
    {%- set used = dbt_mview._has_flashback_state() -%}
    {%- set found = (
        dbt_mview._flashback_status()
        if used
        else {"views": 0, "length": 0, "readers": 0}
    ) -%}
    {%- set infos = dbt_mview._flashback_infos() if used else {} -%}
    {%- set without = [] -%}
    {%- for relation, info in infos | dictsort if info.reason -%}
        {%- do without.append([dbt_mview._short_name(relation), info.reason]) -%}
    {%- endfor -%}
    {%- set lines = [["enabled", settings.enable | string | lower]] -%}
    {%- do lines.append(["history_views", found.views]) -%}
    {%- for key in ["up_time", "low_time"] -%}
        {%- set at = found.get(key) -%}
        {%- do lines.append([key, "-" if at is none else dbt_mview._moment_text(at)]) -%}
    {%- endfor -%}
    {%- do lines.append(["history_length", found.length]) -%}
    {%- do lines.append(["history_limit", settings.history_limit]) -%}
    {%- do lines.append(["readers", found.readers]) -%}
    {%- do lines.append(["registered", infos | length]) -%}
    {%- do lines.append(["not_guaranteed", without | length]) -%}
    {%- do dbt_mview._print_table(["flashback", "value"], lines) -%}
    {%- if without -%}
        {%- do dbt_mview._print_table(["not guaranteed", "because"], without) -%}
    {%- endif -%}
{% endmacro %}
