{#
A state table must be one, and of a layout that this release knows.

Args: table (string), version (int, the newest layout known). Returns: int, the one found.
Errors: the table is not ours, or of a newer layout.
#}
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
    {{ return(found[0]) }}
{% endmacro %}
