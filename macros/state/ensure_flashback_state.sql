{#
The state of flashback: its tables, made when it is first used, and the rows of those that read the
past. A project without flashback never gets them, and asks nothing of them.
#}
{#
Creates the tables that are missing, as _ensure_state does. Once in an invocation.

Args: dry_run (bool: print the statements). Errors: see _ensure_state.
#}
{% macro _ensure_flashback_state(dry_run=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set memory = dbt_mview._memory() -%}
    {%- if not memory.ensured_flashback -%}
        {%- do dbt_mview._ensure_tables(
            dbt_mview._flashback_tables(), dbt_mview._flashback_tables_there(), dry_run
        ) -%}
        {%- do memory.update({"ensured_flashback": not dry_run}) -%}
    {%- endif -%}
{% endmacro %}


{# Whether flashback was ever used here. Returns: bool. #}
{% macro _has_flashback_state() %}
    {%- if dbt_mview._memory().ensured_flashback -%} {{ return(true) }}{%- endif -%}
    {%- if not dbt_mview._has_schema(dbt_mview._state_schema()) -%} {{ return(false) }}{%- endif -%}
    {%- set there = dbt_mview._flashback_tables_there() -%}
    {{ return(dbt_mview._flashback_tables() | reject("in", there) | list == []) }}
{% endmacro %}


{# Returns: tuple of strings. #}
{% macro _flashback_tables() %}
    {{ return(("mview_trackpoints", "mview_flashback_info", "mview_flashback_readers")) }}
{% endmacro %}


{# Returns: list of names. #}
{% macro _flashback_tables_there() %}
    {%- set schema = dbt_mview._state_schema() -%}
    {{ return(dbt_mview._tables_like(schema, dbt_mview._flashback_tables() | join("|"))) }}
{% endmacro %}


{# Returns: quoted SQL name of the table that has a row per track point and table that changed. #}
{% macro _trackpoint_table() %}
    {{ return(dbt_mview._state_table("mview_trackpoints")) }}
{% endmacro %}


{# Returns: quoted SQL name of the table that has a row per table that is to stay readable. #}
{% macro _flashback_info_table() %}
    {{ return(dbt_mview._state_table("mview_flashback_info")) }}
{% endmacro %}


{# Returns: quoted SQL name of the table that has rows for each invocation that reads the past. #}
{% macro _table_of_readers() %}
    {{ return(dbt_mview._state_table("mview_flashback_readers")) }}
{% endmacro %}


{#
Says that this invocation reads the past: a row more, which conflicts with nobody's. The lowest time
of its rows counts, until their lease is over.

Args: low_time (microseconds). Returns: SQL text.
#}
{% macro _insert_reader_sql(low_time) -%}
insert into {{ dbt_mview._table_of_readers() }}
select
    {{ dbt_mview._literal(invocation_id) }},
    {{ dbt_mview._timestamp(low_time) }},
    current_timestamp() + {{ dbt_mview._lease_sql() }}
{%- endmacro %}


{# Takes back what this invocation said, and what was left by those that died. Returns: SQL text. #}
{% macro _delete_reader_sql() -%}
delete from {{ dbt_mview._table_of_readers() }}
where reader = {{ dbt_mview._literal(invocation_id) }} or until < current_timestamp()
{%- endmacro %}


{# Those that read the past now. Returns: SQL text, one row: count, lowest time (null: none). #}
{% macro _live_readers_sql() -%}
select count(distinct reader) as readers, min(low_time) as low_time
from {{ dbt_mview._table_of_readers() }}
where until > current_timestamp()
{%- endmacro %}


{#
From where on tables can be read: what was cleaned is refused, whether or not Delta still has it.

Returns: int (microseconds), or none: nothing was cleaned.
#}
{% macro _cleaned_until() %}
    {%- set row = dbt_mview._read(
        "flashback_low",
        "select unix_micros(max(low_time)) as low_time from "
        ~ dbt_mview._flashback_info_table()
        ~ " where relation = '*'",
    ).rows[0] -%}
    {{ return(none if row[0] is none else row[0] | int) }}
{% endmacro %}
