{# Moments as users give them: ISO text, a datetime, or so long before the run began. #}
{#
A moment as a user gives it. Text without a zone is by the session's clock; a moment that the clock
shows twice, or never, is refused. A day has 24 hours.

Args: value (ISO text, datetime or date; or text as '-1 day', before the start of the run), object
    (string, what an error names).
Returns: int, microseconds. Errors: it is no moment, or no single one.
#}
{% macro _moment(value, object) %}
    {%- set text = value | string | trim | upper -%}
    {%- set units = dbt_mview._unit_seconds() -%}
    {%- set ago = "-([0-9]{1,9}) (" ~ units | join("|") ~ ")s?" -%}
    {%- set back = modules.re.fullmatch(ago, text | lower) -%}
    {%- if back -%}
        {%- set seconds = back.group(1) | int * units[back.group(2)] -%}
        {{ return(dbt_mview._clock().now - seconds * 1000000) }}
    {%- endif -%}
    {%- if not dbt_mview._is_iso_time(text) -%}
        {%- do dbt_mview._raise(
            object,
            "'" ~ value ~ "' is no time.",
            "Write it as '2026-11-25 14:30:00', with +01:00 behind it if it is not by the"
            ~ " session's clock, or as '-1 day': seconds, minutes, hours, days or weeks before"
            ~ " the run began.",
        ) -%}
    {%- endif -%}
    {%- set at = dbt_mview._as_datetime(text) -%}
    {%- if not at.tzinfo -%}
        {%- set zone = dbt_mview._zone(dbt_mview._clock().zone) -%}
        {%- set at, other = zone.localize(at, is_dst=true), zone.localize(at, is_dst=false) -%}
        {%- if at != other -%}
            {%- do dbt_mview._raise(
                object,
                "'"
                ~ value
                ~ "' is no single moment: the clocks of "
                ~ dbt_mview._clock().zone
                ~ " change in that hour.",
                "Write its distance from UTC behind it, as in +01:00.",
            ) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return((at.timestamp() * 1000000) | round | int) }}
{% endmacro %}


{# Whether a text is a day, or a time of one, that there is. Args: text (upper case). #}
{% macro _is_iso_time(text) %}
    {%- set day = "(19[7-9][0-9]|2[0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])" -%}
    {%- set time = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?" -%}
    {%- set zone = " ?(?:Z|[+-](?:0[0-9]|1[0-8])(?::?[0-5][0-9])?)" -%}
    {%- set form = day ~ "(?:[ T]" ~ time ~ "(?:" ~ zone ~ ")?)?" -%}
    {%- set found = modules.re.fullmatch(form, text) -%}
    {%- if not found -%} {{ return(false) }}{%- endif -%}
    {%- set year, month, number = found.groups() -%}
    {%- set first = modules.datetime.date(year | int, month | int, 1) -%}
    {%- set days = modules.datetime.timedelta(days=number | int - 1) -%}
    {{ return((first + days).month == month | int) }}
{% endmacro %}


{#
The time as of which this whole run reads its sources.

Returns: int (microseconds), or none: as of its start. Errors: the var dbt_mview:as_of is no time.
#}
{% macro _run_as_of() %}
    {%- set value = var("dbt_mview:as_of", none) -%}
    {{ return(none if value is none else dbt_mview._moment(value, "the var dbt_mview:as_of")) }}
{% endmacro %}


{# The moment that this run reads its sources as of. Returns: int, microseconds. #}
{% macro _run_moment() %}
    {%- set as_of = dbt_mview._run_as_of() -%}
    {{ return(dbt_mview._clock().now if as_of is none else as_of) }}
{% endmacro %}
