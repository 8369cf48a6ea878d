{#
Creates the schemas and state tables that are missing, and refuses those it cannot work with.
Runs once per invocation, from on-run-start or on first use. A dry run prints the statements and
goes on as if state were there, and empty.

Args: dry_run (bool). Errors: a table of that name that is not ours; a table of a newer layout.
#}
{% macro _ensure_state(dry_run=false) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if memory.get("ensured") -%}{{ return(none) }}{%- endif -%}
    {%- set layout = dbt_mview._state_layout() -%}
    {%- set job = {"id": invocation_id, "dry_run": dry_run} -%}
    {%- for schema in [dbt_mview._state_schema(), dbt_mview._stage_schema()] | unique -%}
        {%- if not dbt_mview._has_schema(schema) -%}
            {%- do memory.new_schemas.append(schema) -%}
            {%- do dbt_mview._run(
                "ensure_state", "create schema if not exists " ~ dbt_mview._quote(schema), job
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set there = dbt_mview._tables_like(dbt_mview._state_schema(), "mview_refresh_*") -%}
    {%- for table, columns in layout.tables.items() -%}
        {%- if table in there -%}
            {%- do dbt_mview._check_layout(table, layout.version) -%}
        {%- else -%}
            {%- if dry_run and table == "mview_refresh_info" -%}
                {%- do memory.update({"without_state": true}) -%}
            {%- endif -%}
            {%- do dbt_mview._run(
                "ensure_state", dbt_mview._create_state_sql(table, columns, layout.version), job
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do memory.update({"ensured": true}) -%}
{% endmacro %}
