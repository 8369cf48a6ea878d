{#
The row of a log.

Args: mlog_id. Returns: mapping base, next_time, last_purged_version, lock_owner, lock_token (0 if
    there never was a lock), lock_time, lease_until (microseconds), lease_over (bool), schedule
    (see _schedule), failures (int or none), retry_time, paused_time.
Errors: there is none.
#}
{% macro _read_log_row(mlog_id) %}
    {%- set row = dbt_mview._find_log_row(mlog_id) -%}
    {%- if not row -%}
        {%- do exceptions.raise_compiler_error(
            "dbt_mview: mlog purge lock row does not exist for "
            ~ mlog_id
            ~ " in "
            ~ dbt_mview._log_info_table()
            ~ ". A run of the log writes it anew: dbt run --select "
            ~ dbt_mview._model_name(mlog_id)
        ) -%}
    {%- endif -%}
    {{ return(row) }}
{% endmacro %}


{# Args: mlog_id. Returns: as _read_log_row, or none if there is none. #}
{% macro _find_log_row(mlog_id) %}
    {%- set rows = dbt_mview._read("log_row", dbt_mview._read_log_row_sql(mlog_id)).rows -%}
    {%- if not rows -%} {{ return(none) }}{%- endif -%}
    {%- set integers = [
        "next_time",
        "last_purged_version",
        "lock_token",
        "lock_time",
        "lease_until",
        "failures",
        "retry_time",
        "paused_time",
    ] -%}
    {%- set columns = ["base", "next_time", "last_purged_version", "lock_owner", "lock_token",
        "lock_time", "lease_until", "schedule", "failures", "retry_time", "paused_time",
        "lease_over"] -%}
    {%- set row = dbt_mview._state_row(rows[0], columns, integers) -%}
    {%- do row.update(
        {
            "lock_token": row.lock_token or 0,
            "schedule": dbt_mview._schedule_of_state(row.schedule),
        }
    ) -%}
    {{ return(row) }}
{% endmacro %}


{# Args: mlog_id. Returns: SQL text. #}
{% macro _read_log_row_sql(mlog_id) -%}
select
    base,
    unix_micros(next_time) as next_time,
    last_purged_version,
    lock_owner,
    lock_token,
    unix_micros(lock_time) as lock_time,
    unix_micros(lease_until) as lease_until,
    schedule,
    failures,
    unix_micros(retry_time) as retry_time,
    unix_micros(paused_time) as paused_time,
    {{ dbt_mview._lease_over_sql() }} as lease_over
from {{ dbt_mview._log_info_table() }}
where mlog_id = {{ dbt_mview._literal(mlog_id) }}
{%- endmacro %}
