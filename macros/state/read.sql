{#
The rows of mview_refresh_info, times as microseconds since the epoch; no rows in a dry run that
found no state.

Args: mview_ids (list of strings, or none for all), held_by (see _read_states_sql).
Returns: mapping mview_id -> row mapping.
#}
{% macro _read_states(mview_ids=none, held_by=none) %}
    {%- if dbt_mview._memory().without_state -%}{{ return({}) }}{%- endif -%}
    {%- set columns = ["mview_id", "definition", "definition_hash", "spec", "sources",
        "last_successful_refresh_read_time", "last_refresh_result", "last_refresh_type",
        "last_refresh_time", "last_refresh_failed_reason", "target_version", "next_time",
        "lock_owner", "lock_token", "lock_time", "lease_until", "refresh_job_id", "intent",
        "schedule", "failures", "retry_time", "paused_time", "lease_over"] -%}
    {%- set table = dbt_mview._read("state", dbt_mview._read_states_sql(mview_ids, held_by)) -%}
    {%- set states = {} -%}
    {%- for values in table.rows -%}
        {%- set row = dbt_mview._state_row(
            values,
            columns,
            ["lock_token", "target_version", "last_refresh_time", "next_time", "failures",
                "retry_time", "paused_time"],
        ) -%}
        {%- for column in ["spec", "sources", "intent"] -%}
            {%- do row.update({column: fromjson(row[column]) if row[column] else none}) -%}
        {%- endfor -%}
        {%- do row.update({"schedule": dbt_mview._schedule_of_state(row.schedule)}) -%}
        {%- do states.update({row.mview_id: row}) -%}
    {%- endfor -%}
    {{ return(states) }}
{% endmacro %}


{# One row, read now. Args: mview_id (string). Returns: row mapping or none. #}
{% macro _read_state(mview_id) %}
    {{ return(dbt_mview._read_states([mview_id]).get(mview_id)) }}
{% endmacro %}
