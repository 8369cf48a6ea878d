{#
The logs that state knows. Args: relation (name of a base table, or none for all).
Returns: list of mlog_ids.
#}
{% macro _logs_of(relation=none) %}
    {%- if not dbt_mview._has_log_state() -%}
        {{ return([]) }}
    {%- endif -%}
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


{# Returns: list of mlog_ids whose tables are there; none where state has no tables of logs. #}
{% macro _logs_there() %}
    {%- if not dbt_mview._has_log_state() -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set found = [] -%}
    {%- for mlog_id in dbt_mview._logs_of() -%}
        {%- if dbt_mview._find_log(mlog_id).coverage.base -%}
            {%- do found.append(mlog_id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Returns: list, empty unless state has the tables of logs. #}
{% macro _has_log_state() %}
    {{ return(dbt_mview._tables_like(dbt_mview._state_schema(), "mlog_purge_info")) }}
{% endmacro %}


{# Deletes the row of a log, unless a purge of it goes on. Args: mlog_id, job. #}
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
