{#
What is due now by its schedule, oldest first: views to refresh and logs to purge. Any scheduler can
run them, see docs/schedule.md. Times of cron expressions are worked out by `dbt-mview due`, which
asks this operation.

Args: format (table|selector|json; selector: the models of this project on one line, nothing where
    nothing is due), dry_run (bool: print what would create state where there is none; else the
    same, as this operation only reads).
Errors: an unknown format.
Example: dbt run-operation mview_due
#}
{% macro mview_due(format="table", dry_run=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set rows = [] if dbt_mview._memory().without_state else dbt_mview._due_rows(dry_run) -%}
    {%- set found = dbt_mview._what_is_due(rows) -%}
    {%- set models = dbt_mview._models_by_id() -%}
    {%- for row in found.due -%} {%- do row.update({"model": models.get(row.id)}) -%} {%- endfor -%}
    {%- if format == "selector" -%}
        {%- set named = found.due | map(attribute="model") | select -%}
        {%- set names = named | unique(case_sensitive=true) | list -%}
        {%- if names -%} {%- do print(names | join(" ")) -%} {%- endif -%}
    {%- elif format == "json" -%} {%- do print("due: " ~ tojson(found)) -%}
    {%- elif format == "table" -%} {%- do dbt_mview._print_due(found) -%}
    {%- else -%}
        {%- do dbt_mview._raise(
            "mview_due",
            "format is '" ~ format ~ "'.",
            "Use one of: table, selector, json.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# Args: found (see _what_is_due). #}
{% macro _print_due(found) %}
    {%- set lines = [] -%}
    {%- for row in found.due -%}
        {%- do lines.append(
            [
                row.id.split(".")[1:] | join("."),
                "refresh" if row.what == "view" else "purge",
                dbt_mview._iso(row.since),
                row.why,
                row.model or "of another project",
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(["due", "for", "since", "why", "model"], lines) -%}
    {%- if found.unplanned -%}
        {%- do print(
            (found.unplanned | length)
            ~ " cron schedules have no NEXT_TIME yet: `dbt-mview due` works it out."
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
The project's models as a selector names them; a refresh group is named whole.

Returns: mapping id -> string.
#}
{% macro _models_by_id() %}
    {%- set found = {} -%}
    {%- for node in graph.nodes.values() if node.resource_type == "model" -%}
        {%- set id = dbt_mview._mview_id(dbt_mview._relation_of(node)) -%}
        {%- set group = dbt_mview._group_of(node) -%}
        {%- set name = "config.refresh_group:" ~ group if group else node.fqn | join(".") -%}
        {%- do found.update({id: name}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
