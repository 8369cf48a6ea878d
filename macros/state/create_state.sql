{#
Creates a state table, partitioned so that different views never conflict.

Args: table (string), columns (list of [name, type]), version (int, of the layout).
Returns: SQL text.
#}
{% macro _create_state_sql(table, columns, version) %}
    {%- set lines = [] -%}
    {%- for name, type in columns -%}
        {%- do lines.append("    " ~ name ~ " " ~ type) -%}
    {%- endfor -%}
create table if not exists {{ dbt_mview._state_table(table) }} (
{{ lines | join(",\n") }}
)
using delta
partitioned by ({{ "mlog_id" if table.startswith("mlog") else "mview_id" }})
tblproperties ('dbt_mview.layout' = '{{ version }}')
{%- endmacro %}
