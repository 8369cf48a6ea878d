{#
Times as microseconds since the epoch, from whatever a connection returns, and back to ISO text.
#}
{#
Microseconds since the epoch of a timestamp that the engine returned from a command, which no
function of SQL can be put around. Of an hour that there is twice, it is the first: no commit lies
in the future.

Args: value (datetime, string or none). Returns: int or none.
#}
{% macro _micros(value) %}
    {%- if value is none -%} {{ return(none) }}{%- endif -%}
    {%- set at = dbt_mview._as_datetime(value) -%}
    {%- set shown_in = none if at.tzinfo else dbt_mview._clock().shown_in -%}
    {%- if shown_in not in [none, "client"] -%}
        {%- set at = dbt_mview._zone(shown_in).localize(at, is_dst=true) -%}
    {%- endif -%}
    {{ return((at.timestamp() * 1000000) | round | int) }}
{% endmacro %}


{# Seconds of the units in which people write how long something is. Returns: mapping. #}
{% macro _unit_seconds() %}
    {{ return({"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}) }}
{% endmacro %}


{# Args: value (datetime or string). Returns: datetime, with a zone if the value had one. #}
{% macro _as_datetime(value) %}
    {%- if value is not string -%} {{ return(value) }}{%- endif -%}
    {{ return(modules.datetime.datetime.fromisoformat(dbt_mview._iso_form(value))) }}
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


{# Returns: int, microseconds since the epoch by the client's clock: for durations only. #}
{% macro _now_micros() %}
    {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
    {{ return((now.timestamp() * 1000000) | round | int) }}
{% endmacro %}
