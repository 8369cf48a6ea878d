{#
What makes the query mean something else than when the view was built: the session's time zone
decides what day it was, ANSI mode whether a text that is no number is NULL. Rows of two meanings
must not meet (docs/decisions/0018).

Args: state (row of the view). Returns: string, `UTC -> Europe/Berlin`, or none.
#}
{% macro _session_change(state) %}
    {%- set was = (state.spec or {}).get("session") -%}
    {%- set now = dbt_mview._clock().session -%}
    {{ return(was ~ " -> " ~ now if was and was != now else none) }}
{% endmacro %}


{#
The settings of a session in words. The names of UTC are one zone.

Args: zone (string), ansi (bool). Returns: string.
#}
{% macro _session_words(zone, ansi) %}
    {%- set names = (
        "utc etc/utc uct etc/uct gmt etc/gmt greenwich etc/greenwich zulu etc/zulu z"
    ) -%}
    {%- set plain = "UTC" if zone | lower in names.split() else zone -%}
    {{ return(plain ~ ("" if ansi else " without ANSI mode")) }}
{% endmacro %}
