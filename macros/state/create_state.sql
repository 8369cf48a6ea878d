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
tblproperties (
    {{ dbt_mview._state_properties_sql(version) }}
)
{%- endmacro %}


{#
Nobody travels back in the tables of state, which get some commits with every refresh: a day of
them is kept, where Delta keeps a month. Nor does anybody look for a value in them, other than in
the partition of a view: without statistics of columns an UPDATE takes a fifth less.

Args: version (int, of the layout). Returns: SQL text.
#}
{% macro _state_properties_sql(version) -%}
'dbt_mview.layout' = '{{ version }}',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    'delta.dataSkippingNumIndexedCols' = '0'
{%- endmacro %}
