{# The rows of mview_refresh_info as mappings, all or some of them, read now. #}
{#
The rows of mview_refresh_info, times as microseconds since the epoch; no rows in a dry run that
found no state.

Args: mview_ids (list of strings, or none for all), held_by (see _read_states_sql).
Returns: mapping mview_id -> row mapping.
#}
{% macro _read_states(mview_ids=none, held_by=none) %}
    {%- if dbt_mview._memory().without_state -%} {{ return({}) }}{%- endif -%}
    {%- set columns = [
        "mview_id",
        "definition",
        "definition_hash",
        "spec",
        "sources",
        "last_successful_refresh_read_time",
        "last_refresh_result",
        "last_refresh_type",
        "last_refresh_time",
        "last_refresh_failed_reason",
        "target_version",
        "next_time",
        "lock_owner",
        "lock_token",
        "lock_time",
        "lease_until",
        "refresh_job_id",
        "intent",
        "schedule",
        "failures",
        "retry_time",
        "paused_time",
        "lease_over",
    ] -%}
    {%- set table = dbt_mview._read("state", dbt_mview._read_states_sql(mview_ids, held_by)) -%}
    {%- set states = {} -%}
    {%- for values in table.rows -%}
        {%- set row = dbt_mview._state_row(
            values,
            columns,
            [
                "lock_token",
                "target_version",
                "last_refresh_time",
                "next_time",
                "failures",
                "retry_time",
                "paused_time",
            ],
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


{#
The rows of mview_refresh_info.

Args: mview_ids (list or none), held_by (invocation id, or none: those rows whose lock it holds, or
    an operation, which may have taken it over from there).
Returns: SQL text.
#}
{% macro _read_states_sql(mview_ids, held_by=none) %}
select
    mview_id,
    definition,
    definition_hash,
    spec,
    {{ dbt_mview._sources_to_json_sql("sources") }} as sources,
    unix_micros(last_successful_refresh_read_time) as last_successful_refresh_read_time,
    last_refresh_result,
    last_refresh_type,
    unix_micros(last_refresh_time) as last_refresh_time,
    last_refresh_failed_reason,
    target_version,
    unix_micros(next_time) as next_time,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    refresh_job_id,
    intent,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    {{ dbt_mview._lease_over_sql() }} as lease_over
from {{ dbt_mview._info_table() }}
{%- if mview_ids is not none %}
where mview_id in ({{ dbt_mview._literals(mview_ids) }})
{%- elif held_by is not none %}
where lock_owner = {{ dbt_mview._literal(held_by) }}
    or (lock_owner is not null and get_json_object(intent, '$.definition') is null)
{%- endif %}
{%- endmacro %}


{#
A source without a version has that key too, which to_json leaves out by default.

Args: column (SQL text). Returns: SQL text, JSON with commit times in microseconds.
#}
{% macro _sources_to_json_sql(column) -%}
to_json(transform({{ column }}, s -> named_struct(
        'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
        'commit_time', unix_micros(s.commit_time)
    )), map('ignoreNullFields', 'false'))
{%- endmacro %}


{#
A row of state as a mapping, whatever the connection makes of numbers and booleans.

Args: values (row of an agate table), columns (list of names, in its order), integers (list of
    those that hold whole numbers), flags (list of those that are true or false).
Returns: mapping.
#}
{% macro _state_row(values, columns, integers, flags=["lease_over"]) %}
    {%- set row = {} -%}
    {%- for column in columns -%}
        {%- do row.update({column: values[loop.index0]}) -%}
    {%- endfor -%}
    {%- for column in integers -%}
        {%- do row.update({column: none if row[column] is none else row[column] | int}) -%}
    {%- endfor -%}
    {%- for column in flags -%}
        {%- do row.update({column: row[column] in [true, "true", 1]}) -%}
    {%- endfor -%}
    {{ return(row) }}
{% endmacro %}


{# As the config says it. Args: stored (string, JSON, or none). Returns: mapping or none. #}
{% macro _schedule_of_state(stored) %}
    {%- if not stored -%} {{ return(none) }}{%- endif -%}
    {%- set schedule = fromjson(stored) -%}
    {%- do schedule.pop("after", none) -%}
    {{ return(schedule) }}
{% endmacro %}
