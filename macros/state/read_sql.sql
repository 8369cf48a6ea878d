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
A source without a version has that key all the same, which to_json leaves out by default.

Args: column (SQL text). Returns: SQL text, JSON with commit times in microseconds.
#}
{% macro _sources_to_json_sql(column) -%}
to_json(transform({{ column }}, s -> named_struct(
        'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
        'commit_time', unix_micros(s.commit_time)
    )), map('ignoreNullFields', 'false'))
{%- endmacro %}
