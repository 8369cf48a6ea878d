{#
The columns of the state tables, as data, and the statement that creates them. A change here raises
the layout's version.
#}
{#
The layout of state, as data. The number goes up with every change of a column
or a property; tables of a newer layout than this are refused, see _ensure_state.
#}
{% macro _state_layout() %}
    {%- set sources = (
        "array<struct<relation: string, table_id: string, version: bigint,"
        ~ " commit_time: timestamp>>"
    ) -%}
    {{
        return(
            {
                "version": 6,
                "tables": {
                    "mview_refresh_info": [
                        ["mview_id", "string"],
                        ["definition", "string"],
                        ["definition_hash", "string"],
                        ["spec", "string"],
                        ["sources", sources],
                        ["last_successful_refresh_read_time", "timestamp"],
                        ["last_refresh_result", "string"],
                        ["last_refresh_type", "string"],
                        ["last_refresh_time", "timestamp"],
                        ["last_refresh_failed_reason", "string"],
                        ["target_version", "bigint"],
                        ["next_time", "timestamp"],
                        ["lock_owner", "string"],
                        ["lock_token", "bigint"],
                        ["lock_time", "timestamp"],
                        ["lease_until", "timestamp"],
                        ["refresh_job_id", "string"],
                        ["intent", "string"],
                        ["schedule", "string"],
                        ["failures", "bigint"],
                        ["retry_time", "timestamp"],
                        ["paused_time", "timestamp"],
                    ],
                    "mview_refresh_hist": [
                        ["refresh_job_id", "string"],
                        ["mview_id", "string"],
                        ["refresh_method", "string"],
                        ["refresh_reason", "string"],
                        ["refresh_time", "timestamp"],
                        ["refresh_endtime", "timestamp"],
                        ["refresh_rows", "bigint"],
                        ["refresh_status", "string"],
                        ["refresh_failed_reason", "string"],
                        ["sources", sources],
                        ["invocation_id", "string"],
                        ["refresh_group", "string"],
                    ],
                    "mlog_purge_info": [
                        ["mlog_id", "string"],
                        ["base", "string"],
                        ["next_time", "timestamp"],
                        ["last_purged_version", "bigint"],
                        ["lock_owner", "string"],
                        ["lock_token", "bigint"],
                        ["lock_time", "timestamp"],
                        ["lease_until", "timestamp"],
                        ["schedule", "string"],
                        ["failures", "bigint"],
                        ["retry_time", "timestamp"],
                        ["paused_time", "timestamp"],
                    ],
                    "mlog_purge_hist": [
                        ["purge_job_id", "string"],
                        ["mlog_id", "string"],
                        ["purge_method", "string"],
                        ["purge_time", "timestamp"],
                        ["purge_endtime", "timestamp"],
                        ["purge_rows", "bigint"],
                        ["purge_status", "string"],
                        ["purge_failed_reason", "string"],
                    ],
                    "mview_trackpoints": [
                        ["day", "date"],
                        ["trackpoint_time", "timestamp"],
                        ["relation", "string"],
                        ["table_id", "string"],
                        ["version", "bigint"],
                        ["commit_time", "timestamp"],
                        ["key_frame", "boolean"],
                    ],
                    "mview_flashback_info": [
                        ["relation", "string"],
                        ["table_id", "string"],
                        ["guaranteed_since", "timestamp"],
                        ["reason", "string"],
                        ["properties_before", "string"],
                        ["keep_alive_time", "timestamp"],
                        ["low_time", "timestamp"],
                    ],
                    "mview_flashback_readers": [
                        ["reader", "string"],
                        ["low_time", "timestamp"],
                        ["until", "timestamp"],
                    ],
                },
            }
        )
    }}
{% endmacro %}


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
partitioned by ({{ dbt_mview._state_partition(table) }})
tblproperties (
    {{ dbt_mview._state_properties_sql(table, version) }}
)
{%- endmacro %}


{#
By what a state table is partitioned: the view, the log, the table or the reader that a row is of;
track points by their day, which goes as a whole.

Args: table (string). Returns: string, one of its columns.
#}
{% macro _state_partition(table) %}
    {%- set others = {
        "mview_trackpoints": "day",
        "mview_flashback_info": "relation",
        "mview_flashback_readers": "reader",
    } -%}
    {{ return(others.get(table, "mlog_id" if table.startswith("mlog") else "mview_id")) }}
{% endmacro %}


{#
The tables of state get some commits with every refresh, and nothing reads their old versions: a day
of them is kept, where Delta keeps a month. Statistics serve the search for what is due among
thousands of views, each of which has a file, and readers of Delta's log alone: everything else
reads the partition of one view.

Args: table (string), version (int, of the layout). Returns: SQL text.
#}
{% macro _state_properties_sql(table, version) -%}
'dbt_mview.layout' = '{{ version }}',
    'delta.logRetentionDuration' = 'interval 1 day',
    'delta.deletedFileRetentionDuration' = 'interval 1 day',
    {%- set seen = ["schedule", "next_time", "retry_time", "failures", "lease_until", "paused_time"]
        + (["last_refresh_time"] if table.startswith("mview") else []) %}
    {%- set seen = ["trackpoint_time", "relation"] if table == "mview_trackpoints" else seen %}
    {{ "'delta.dataSkippingStatsColumns' = '" ~ seen | join(",") ~ "'"
        if table.endswith(("refresh_info", "purge_info", "trackpoints"))
        else "'delta.dataSkippingNumIndexedCols' = '0'" }}
{%- endmacro %}


{# What state says of a view that it does not know. Returns: mapping. #}
{% macro _no_state() %}
    {%- set row = {} -%}
    {%- for column, _ in dbt_mview._state_layout().tables["mview_refresh_info"] -%}
        {%- do row.update({column: none}) -%}
    {%- endfor -%}
    {{ return(row) }}
{% endmacro %}
