{# The rows of mlog_purge_info: read, registered, forgotten, and which logs state knows. #}
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
            ~ ". A run of the log writes it: dbt run --select "
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
    {%- set columns = [
        "base",
        "next_time",
        "last_purged_version",
        "lock_owner",
        "lock_token",
        "lock_time",
        "lease_until",
        "schedule",
        "failures",
        "retry_time",
        "paused_time",
        "lease_over",
    ] -%}
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


{#
Notes which table a log is of, once: views find it by that.

Args: spec (mlog_id, base), job. Returns: its row, see _read_log_row.
#}
{% macro _register_log(spec, job) %}
    {%- set row = dbt_mview._find_log_row(spec.mlog_id) -%}
    {%- if row and row.base == spec.base -%} {{ return(row) }}{%- endif -%}
    {%- do dbt_mview._run(
        "register_log",
        dbt_mview._retry_on_conflict_sql(dbt_mview._register_log_sql(spec)),
        job,
    ) -%}
    {{ return(dbt_mview._read_log_row(spec.mlog_id)) }}
{% endmacro %}


{# Args: spec (mlog_id, base). Returns: SQL text. #}
{% macro _register_log_sql(spec) -%}
{%- set mlog_id = dbt_mview._literal(spec.mlog_id) -%}
merge into {{ dbt_mview._log_info_table() }} as t
using (select {{ mlog_id }} as mlog_id, {{ dbt_mview._literal(spec.base) }} as base) as s
on t.mlog_id = s.mlog_id and t.mlog_id = {{ mlog_id }}
when matched then update set base = s.base
when not matched then insert (mlog_id, base) values (s.mlog_id, s.base)
{%- endmacro %}


{# Deletes the row of a log, unless a purge of it is running. Args: mlog_id, job. #}
{% macro _forget_log(mlog_id, job) %}
    {%- set sql = (
        "delete from "
        ~ dbt_mview._log_info_table()
        ~ " where mlog_id = "
        ~ dbt_mview._literal(mlog_id)
        ~ " and "
        ~ dbt_mview._lease_over_sql()
    ) -%}
    {%- do dbt_mview._run("forget", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}


{#
The logs that state knows. Args: relation (name of a base table, or none for all).
Returns: list of mlog_ids.
#}
{% macro _logs_of(relation=none) %}
    {%- if not dbt_mview._has_log_state() -%} {{ return([]) }} {%- endif -%}
    {%- set text = "select mlog_id from " ~ dbt_mview._log_info_table() -%}
    {%- if relation is not none -%}
        {%- set text = text ~ " where base = " ~ dbt_mview._literal(relation) -%}
    {%- endif -%}
    {%- set found = [] -%}
    {%- for row in dbt_mview._read("logs", text ~ " order by mlog_id").rows -%}
        {%- do found.append(row[0]) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
The logs that an invocation is purging.

Args: owner (invocation id), dry_run (bool, see _ensure_state).
Returns: list of mappings mlog_id, lock_token.
#}
{% macro _logs_held_by(owner, dry_run) %}
    {%- if not dbt_mview._has_log_state() -%} {{ return([]) }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run, logs=true) -%}
    {%- set text = "select mlog_id, lock_token from " ~ dbt_mview._log_info_table() -%}
    {%- set text = text ~ " where lock_owner = " ~ dbt_mview._literal(owner) -%}
    {%- set found = [] -%}
    {%- for values in dbt_mview._read("logs_held", text ~ " order by mlog_id").rows -%}
        {%- do found.append(
            dbt_mview._state_row(values, ["mlog_id", "lock_token"], ["lock_token"], [])
        ) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Returns: list, empty unless state has the tables of logs. #}
{% macro _has_log_state() %}
    {{ return(dbt_mview._tables_like(dbt_mview._state_schema(), "mlog_purge_info")) }}
{% endmacro %}
