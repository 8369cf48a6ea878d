{#
The engine's clock, read once per invocation.

Returns: mapping of now (microseconds since the epoch), zone (the session's time zone), ansi
    (bool, whether it is in ANSI mode) and client (the client's clock at that moment).
#}
{% macro _clock() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if not memory.clock -%}
        {%- set row = dbt_mview._read(
            "clock",
            "select unix_micros(current_timestamp()) as micros, current_timezone() as zone,"
            " typeof(coalesce(1, '1')) as common_type",
        ).rows[0] -%}
        {%- do memory.clock.update({"now": row[0] | int, "zone": row[1] | string}) -%}
        {#- ANSI mode makes a number of both. -#}
        {%- do memory.clock.update(
            {"ansi": row[2] != "string", "client": dbt_mview._now_micros()}
        ) -%}
    {%- endif -%}
    {{ return(memory.clock) }}
{% endmacro %}


{#
A moment by the engine's clock.

Args: client (int, microseconds by the client's). Returns: int, microseconds.
#}
{% macro _engine_time(client) %}
    {%- set clock = dbt_mview._clock() -%} {{ return(clock.now + client - clock.client) }}
{% endmacro %}


{#
Microseconds since the epoch of a timestamp that the engine returned from a command.
PySpark turns timestamps into the local time of the client process, the other methods
into the time zone of the engine's session. Of an hour that there is twice, it is the first: no
commit lies in the future.

Args: value (datetime, string or none). Returns: int or none.
#}
{% macro _micros(value) %}
    {%- if value is none -%} {{ return(none) }}{%- endif -%}
    {%- set at = value -%}
    {%- if value is string -%}
        {%- set at = modules.datetime.datetime.fromisoformat(dbt_mview._iso_form(value)) -%}
    {%- endif -%}
    {%- if at.tzinfo is none and target.method != "session" -%}
        {%- set at = dbt_mview._zone(dbt_mview._clock().zone).localize(at, is_dst=true) -%}
    {%- endif -%}
    {{ return((at.timestamp() * 1000000) | round | int) }}
{% endmacro %}


{#
A time zone as Spark names it: by region, or by its distance from UTC (+02:00, GMT+2, UTC+01:00, Z).

Args: name (string). Returns: tzinfo of pytz.
#}
{% macro _zone(name) %}
    {%- set form = "(?:UTC|GMT|UT)?([+-])(\\d\\d?)(?::?(\\d\\d))?(?::?\\d\\d)?" -%}
    {%- set found = modules.re.fullmatch(form, name) -%}
    {%- if name == "Z" -%} {{ return(modules.pytz.utc) }}
    {%- elif not found -%} {{ return(modules.pytz.timezone(name)) }}
    {%- endif -%}
    {%- set sign, hours, minutes = found.groups("0") -%}
    {%- set distance = (hours | int) * 60 + (minutes | int) -%}
    {{ return(modules.pytz.FixedOffset(-distance if sign == "-" else distance)) }}
{% endmacro %}


{#
A time as text in the one form that every Python's fromisoformat reads.

Args: text (string: date, time, fraction and zone if any). Returns: string.
#}
{% macro _iso_form(text) %}
    {%- set form = (
        "(\\S{10})(?:[ T](\\d\\d:\\d\\d)(:\\d\\d)?(?:\\.(\\d+))?)?"
        ~ " ?(Z|[+-]\\d\\d)?:?(\\d\\d)?"
    ) -%}
    {%- set found = modules.re.fullmatch(form, text | trim) -%}
    {%- if not found -%} {{ return(text) }}{%- endif -%}
    {%- set date, minute, second, fraction, hours, minutes = found.groups("") -%}
    {%- set zone = hours.replace("Z", "+00") ~ ":" ~ (minutes or "00") if hours else "" -%}
    {%- set time = (minute or "00:00") ~ (second or ":00") -%}
    {{ return(date ~ "T" ~ time ~ "." ~ (fraction ~ "000000")[:6] ~ zone) }}
{% endmacro %}


{# ISO text (UTC, seconds) of a time. Args: micros (int or none). Returns: string. #}
{% macro _iso(micros) %}
    {%- if micros is none -%} {{ return("-") }}{%- endif -%}
    {%- set at = modules.datetime.datetime.fromtimestamp(micros / 1000000, modules.pytz.utc) -%}
    {{ return(at.strftime("%Y-%m-%d %H:%M:%SZ")) }}
{% endmacro %}
