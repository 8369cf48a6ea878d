{#
What a log holds: every change of its base after `start` up to `captured`. The start is a property
of the log's table, written by the commit that created it and raised before rows are purged. What
was captured is told by the commit that did, or by a property where no row came.

The version comes first: a start that is raised meanwhile is then seen too early, never too late.

Args: name (quoted SQL name of a Delta table).
Returns: mapping base (none: the table is no log), start, captured (mappings version, commit_time),
    gap (why the log began anew), version (of the log's table), description.
#}
{% macro _coverage(name) %}
    {%- set commits = dbt_mview._delta_history(name, 20) -%}
    {%- if not commits | selectattr("meta") | list -%}
        {%- set commits = dbt_mview._delta_history(name, none) -%}
    {%- endif -%}
    {%- set detail = dbt_mview._read("describe_detail", "describe detail " ~ name).rows[0] -%}
    {%- set text = dbt_mview._mapping(detail["properties"]).get("dbt_mview.mlog", "{}") -%}
    {%- set found = {"base": none, "description": detail["description"]} -%}
    {%- do found.update(fromjson(text, {})) -%}
    {%- do found.update({"version": commits[0].version}) -%}
    {%- set told = commits | selectattr("meta") | map(attribute="meta") | first -%}
    {%- set captured = (told or {}).get("captured") -%}
    {%- if found.base and captured and captured.version > found.captured.version -%}
        {%- do found.update({"captured": captured}) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{# The property that says what a log holds. Args: coverage (see _coverage). Returns: SQL text. #}
{% macro _coverage_property(coverage) %}
    {%- set kept = {} -%}
    {%- for key in ["base", "start", "captured", "gap"] -%}
        {%- do kept.update({key: coverage[key]}) -%}
    {%- endfor -%}
    {{ return("'dbt_mview.mlog' = " ~ dbt_mview._json_literal(kept)) }}
{% endmacro %}
