{#
What is due now by its schedule, oldest first: views to refresh and logs to purge. Any scheduler can
run them, see docs/schedule.md. Times of cron expressions are worked out by `dbt-mview due`, which
asks this operation.

Args: format (table|selector|json|state; selector: the models of this project on one line, nothing
    where nothing is due; state: all that state says of when, due or not, see _plans), ids (list of
    mview_ids and mlog_ids, or none for all; of state alone), dry_run (bool: print what would create
    state where there is none; else the same, as this operation only reads).
Errors: an unknown format; ids without format state.
Example: dbt run-operation mview_due
#}
{% macro mview_due(format="table", ids=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set known = ["table", "selector", "json", "state"] -%}
    {%- if format not in known or (ids is not none and format != "state") -%}
        {%- do dbt_mview._raise(
            "mview_due",
            "format is '" ~ format ~ "'" ~ (" beside ids." if format in known else "."),
            "Use one of: " ~ known | join(", ") ~ "; ids are for state.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- if format == "state" -%}
        {%- set rows = dbt_mview._plans(ids, dry_run) -%}
        {%- set now = dbt_mview._engine_time(dbt_mview._now_micros()) -%}
        {%- do print("state: " ~ tojson({"clock": now, "rows": rows})) -%} {{ return("") }}
    {%- endif -%}
    {%- set rows = [] if dbt_mview._memory().without_state else dbt_mview._due_rows(dry_run) -%}
    {%- set found = dbt_mview._what_is_due(rows) -%}
    {%- set models = dbt_mview._models_by_id() -%}
    {%- for row in found.due -%} {%- do row.update({"model": models.get(row.id)}) -%} {%- endfor -%}
    {%- if format == "selector" -%}
        {%- set named = found.due | map(attribute="model") | select -%}
        {%- set names = named | unique(case_sensitive=true) | list -%}
        {%- if names -%} {%- do print(names | join(" ")) -%} {%- endif -%}
    {%- elif format == "json" -%} {%- do print("due: " ~ tojson(found)) -%}
    {%- else -%} {%- do dbt_mview._print_due(found) -%}
    {%- endif -%}
{% endmacro %}


{# Args: found (see _what_is_due). #}
{% macro _print_due(found) %}
    {%- set lines = [] -%}
    {%- for row in found.due -%}
        {%- do lines.append(
            [
                dbt_mview._short_name(row.id),
                "refresh" if row.what == "view" else "purge",
                dbt_mview._iso(row.since),
                row.why,
                row.model or "of another project",
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(
        ["due", "for", "since", "why", "model"], lines, "mview_due: nothing is due"
    ) -%}
    {%- if found.unplanned -%}
        {%- do print(
            (found.unplanned | length)
            ~ " cron schedules have no NEXT_TIME yet: `dbt-mview due` works it out."
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
The project's views and logs as a selector names them; a refresh group is named whole. What has
become another kind of model since is not among them: no run of it moves a plan.

Returns: mapping id -> string.
#}
{% macro _models_by_id() %}
    {%- set found, folders = {}, {} -%}
    {%- for node in graph.nodes.values() if node.get("fqn") -%}
        {%- for depth in range(1, node.fqn | length) -%}
            {%- do folders.update({node.fqn[:depth] | join("."): true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for node in graph.nodes.values() if dbt_mview._kind_of_model(node) -%}
        {%- set id = dbt_mview._mview_id(dbt_mview._relation_of(node)) -%}
        {%- set group = dbt_mview._group_of(node) -%}
        {%- set name = dbt_mview._selector_of(node.fqn, folders) -%}
        {%- do found.update({id: dbt_mview._group_selector(group) if group else name}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
A name alone also selects what lies in a folder that is called like the model, and a blank or comma
in the name of a folder would part it.

Args: fqn (list of strings), folders (mapping of all that models lie in). Returns: string.
#}
{% macro _selector_of(fqn, folders) %}
    {%- set name = fqn | join(".") -%}
    {%- if modules.re.search("[\\s,]", name) -%} {{ return(fqn[-1]) }}{%- endif -%}
    {{ return(name ~ "," ~ fqn[-1] if name in folders else name) }}
{% endmacro %}
