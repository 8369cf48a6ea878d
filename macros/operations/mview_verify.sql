{#
Compares views with their queries at the very versions that they say they read: as multisets,
both ways, on the engine.

Args: view (as mview_refresh, or 'all'), dry_run (bool: print the queries).
Prints: view, verdict (equal, DIFFERS, never refreshed, not verifiable: why), missing rows, surplus
    rows.
Errors: a view that differs; one view that was asked for and cannot be compared (of all, the verdict
    tells them).
Example: dbt run-operation mview_verify --args '{view: orders_daily}'
#}
{% macro mview_verify(view="all", dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set ids = none if view == "all" else [dbt_mview._mview_id(dbt_mview._resolve(view))] -%}
    {%- set lines = [] -%}
    {%- for id, state in dbt_mview._read_states(ids).items() -%}
        {%- set found = dbt_mview._verify_view(id, state, dry_run) -%}
        {%- do lines.append([id.split(".")[1:] | join(".")] + found) -%}
    {%- endfor -%}
    {%- if dry_run -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._print_table(["view", "verdict", "missing rows", "surplus rows"], lines) -%}
    {%- set wrong = lines | selectattr("1", "equalto", "DIFFERS") | map("first") | list -%}
    {%- if wrong -%}
        {%- do dbt_mview._raise(
            wrong | join(", "),
            "not equal to its query at the recorded versions.",
            "Refresh it with `dbt run --full-refresh` and report the difference.",
        ) -%}
    {%- elif ids and lines | map(attribute=1) | list != ["equal"] -%}
        {%- set told = lines[0][1] if lines else "state has no row of it, it was never built" -%}
        {%- set helps = modules.re.search("never|time zone|state has no|changed since", told) -%}
        {%- do dbt_mview._raise(
            ids[0],
            told ~ ".",
            (
                "Refresh it, then verify it."
                if helps
                else "It cannot be compared as it is."
            ),
        ) -%}
    {%- endif -%}
{% endmacro %}
