{#
Brings a state table of an older release to this one's layout, which only ever adds columns. Of two
runs, or threads of one, that do it at the same moment one finds the columns there.

Args: table (string), columns (list of [name, type]), version (int), dry_run (bool).
Errors: a dry run, which could not go on; the engine's own.
#}
{% macro _upgrade_layout(table, columns, version, dry_run) %}
    {%- set name = dbt_mview._state_table(table) -%}
    {%- if dry_run -%}
        {%- do dbt_mview._raise(
            name,
            "state has the layout of an older release.",
            "Any dbt run, or run-operation without dry_run, brings it up to date first.",
        ) -%}
    {%- endif -%}
    {%- set there = [] -%}
    {%- for column in dbt_mview._describe_query("select * from " ~ name) -%}
        {%- do there.append(column.name | lower) -%}
    {%- endfor -%}
    {%- set job = {"id": invocation_id, "dry_run": false} -%}
    {%- for column, type in columns if column not in there -%}
        {%- do dbt_mview._run(
            "ensure_state",
            dbt_mview._try_sql(
                "alter table " ~ name ~ " add columns (" ~ column ~ " " ~ type ~ ")"
            ),
            job,
        ) -%}
    {%- endfor -%}
    {%- set sql = (
        "alter table "
        ~ name
        ~ " set tblproperties ("
        ~ dbt_mview._state_properties_sql(table, version)
        ~ ")"
    ) -%}
    {%- do dbt_mview._run("ensure_state", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}
