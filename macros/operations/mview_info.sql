{#
What state knows of one view, or of all: the last refresh, what it read, when it is due next, who
holds the lock.

Args: view (as mview_refresh, or none for all), dry_run (bool: print the query).
Example: dbt run-operation mview_info --args '{view: orders_daily}'
#}
{% macro mview_info(view=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set ids = none if view is none else [dbt_mview._mview_id(dbt_mview._resolve(view))] -%}
    {%- if dry_run -%}
        {%- do print(dbt_mview._read_states_sql(ids) ~ ";") -%} {{ return(none) }}
    {%- endif -%}
    {%- set lines = [] -%}
    {%- for id, state in dbt_mview._read_states(ids).items() -%}
        {%- set sources = [] -%}
        {%- for source in state.sources or [] if source.version is not none -%}
            {%- do sources.append(
                dbt_mview._short_name(source.relation) ~ " v" ~ source.version
            ) -%}
        {%- endfor -%}
        {%- do lines.append(
            [
                dbt_mview._short_name(id),
                state.last_refresh_result or "-",
                state.last_refresh_type or "-",
                dbt_mview._iso(state.last_refresh_time),
                dbt_mview._iso(state.last_successful_refresh_read_time),
                "v" ~ state.target_version if state.target_version is not none else "-",
                (state.spec or {}).get("refresh_group") or "-",
                sources | join(", ") or "-",
                dbt_mview._next_of(state),
                state.lock_owner or "-",
                (state.last_refresh_failed_reason or "-").replace("\n", " ")[:200],
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(
        [
            "view",
            "result",
            "type",
            "refreshed",
            "as of",
            "version",
            "group",
            "sources",
            "next",
            "lock",
            "failed",
        ],
        lines,
        "mview_info: state knows no such view: it was never built",
    ) -%}
{% endmacro %}
