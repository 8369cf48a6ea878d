{#
Creates the schemas and state tables that are missing, and refuses those it cannot work with.
Runs once per invocation, from on-run-start or on first use.

Errors: a table of that name that is not ours; a table of a newer layout.
#}
{% macro _ensure_state() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if memory.get("ensured") -%}{{ return(none) }}{%- endif -%}
    {%- set layout = dbt_mview._state_layout() -%}
    {%- set job = {"id": invocation_id, "dry_run": false} -%}
    {%- for schema in [dbt_mview._state_schema(), dbt_mview._stage_schema()] | unique -%}
        {%- do dbt_mview._run(
            "ensure_state", "create schema if not exists " ~ dbt_mview._quote(schema), job
        ) -%}
    {%- endfor -%}
    {%- set there = dbt_mview._tables_like(dbt_mview._state_schema(), "mview_refresh_*") -%}
    {%- for table, columns in layout.tables.items() -%}
        {%- if table in there -%}
            {%- do dbt_mview._check_layout(table, layout.version) -%}
        {%- else -%}
            {%- do dbt_mview._run(
                "ensure_state", dbt_mview._create_state_sql(table, columns, layout.version), job
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do memory.update({"ensured": true}) -%}
{% endmacro %}


{# Args: schema (string), pattern (string, * for any text). Returns: list of table names. #}
{% macro _tables_like(schema, pattern) %}
    {%- set rows = dbt_mview._read(
        "tables",
        "show tables in " ~ dbt_mview._quote(schema) ~ " like " ~ dbt_mview._literal(pattern),
    ).rows -%}
    {%- set names = [] -%}
    {%- for row in rows -%}{%- do names.append(row[1] | lower) -%}{%- endfor -%}
    {{ return(names) }}
{% endmacro %}


{# Args: table, columns (list of [name, type]), version (int). Returns: SQL text. #}
{% macro _create_state_sql(table, columns, version) %}
    {%- set lines = [] -%}
    {%- for name, type in columns -%}
        {%- do lines.append("    " ~ name ~ " " ~ type) -%}
    {%- endfor -%}
create table if not exists {{ dbt_mview._state_table(table) }} (
{{ lines | join(",\n") }}
)
using delta
partitioned by (mview_id)
tblproperties ('dbt_mview.layout' = '{{ version }}')
{%- endmacro %}


{# Errors: the table is not ours, or of a newer layout. Args: table, version (int). #}
{% macro _check_layout(table, version) %}
    {%- set name = dbt_mview._state_table(table) -%}
    {%- set found = [] -%}
    {%- for row in dbt_mview._read("layout", "show tblproperties " ~ name).rows -%}
        {%- if row[0] == "dbt_mview.layout" -%}{%- do found.append(row[1] | int) -%}{%- endif -%}
    {%- endfor -%}
    {%- if not found -%}
        {%- do dbt_mview._raise(
            name,
            "a table of this name exists and is not a state table of dbt_mview.",
            "Rename it, or set the var dbt_mview:state_schema to another schema.",
        ) -%}
    {%- elif found[0] > version -%}
        {%- do dbt_mview._raise(
            name,
            "state has layout " ~ found[0] ~ ", this release of dbt_mview knows up to "
            ~ version ~ ".",
            "Upgrade the package in this project to the release that wrote it.",
        ) -%}
    {%- endif -%}
{% endmacro %}
