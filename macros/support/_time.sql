{#
The engine's clock, read once per invocation.

Returns: mapping of now (microseconds since the epoch) and zone (the session's time zone).
#}
{% macro _clock() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if not memory.clock -%}
        {%- set row = dbt_mview._read(
            "clock",
            "select unix_micros(current_timestamp()) as micros, current_timezone() as zone",
        ).rows[0] -%}
        {%- do memory.clock.update({"now": row[0] | int, "zone": row[1] | string}) -%}
    {%- endif -%}
    {{ return(memory.clock) }}
{% endmacro %}


{#
Microseconds since the epoch of a timestamp that the engine returned from a command.
PySpark turns timestamps into the local time of the client process, the other methods
into the time zone of the engine's session.

Args: value (datetime, string or none). Returns: int or none.
#}
{% macro _micros(value) %}
    {%- if value is none -%} {{ return(none) }}{%- endif -%}
    {%- set at = value -%}
    {%- if value is string -%}
        {%- set at = modules.datetime.datetime.fromisoformat(value) -%}
    {%- endif -%}
    {%- if at.tzinfo is none and target.method != "session" -%}
        {%- set at = modules.pytz.timezone(dbt_mview._clock().zone).localize(at) -%}
    {%- endif -%}
    {{ return((at.timestamp() * 1000000) | round | int) }}
{% endmacro %}


{# ISO text (UTC, seconds) of a time. Args: micros (int or none). Returns: string. #}
{% macro _iso(micros) %}
    {%- if micros is none -%} {{ return("-") }}{%- endif -%}
    {%- set at = modules.datetime.datetime.fromtimestamp(micros / 1000000, modules.pytz.utc) -%}
    {{ return(at.strftime("%Y-%m-%d %H:%M:%SZ")) }}
{% endmacro %}
