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
    {{ dbt_mview._state_properties_sql(table, version) }}
)
{%- endmacro %}


{#
Nobody travels back in the tables of state, which get some commits with every refresh: a day of
them is kept, where Delta keeps a month. Statistics are for what is due among thousands of views,
each of which has a file, and for who reads Delta's log alone: nothing else looks for a value other
than in the partition of a view.

Args: table (string), version (int, of the layout). Returns: SQL text.
#}
{% macro _state_properties_sql(table, version) -%}
'dbt_mview.layout' = '{{ version }}',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    {%- set seen = ["schedule", "next_time", "retry_time", "failures", "lease_until", "paused_time"]
        + (["last_refresh_time"] if table.startswith("mview") else []) %}
    {{ "'delta.dataSkippingStatsColumns' = '" ~ seen | join(",") ~ "'"
        if table.endswith("_info") else "'delta.dataSkippingNumIndexedCols' = '0'" }}
{%- endmacro %}
