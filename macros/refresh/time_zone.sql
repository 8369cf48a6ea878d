{#
The session's time zone, if it is not the one that the view was built in: a query means another day
by date(at) there. Rows of two meanings must not meet (docs/decisions/0018).

Args: state (row of the view). Returns: string, `UTC -> Europe/Berlin`, or none.
#}
{% macro _zone_change(state) %}
    {%- set was = (state.spec or {}).get("time_zone") -%}
    {%- set now = dbt_mview._time_zone() -%}
    {{ return(was ~ " -> " ~ now if was and was != now else none) }}
{% endmacro %}


{# The session's time zone. Returns: string. #}
{% macro _time_zone() %} {{ return(dbt_mview._zone_name(dbt_mview._clock().zone)) }} {% endmacro %}


{# One name for all names of UTC. Args: zone (string). Returns: string. #}
{% macro _zone_name(zone) %}
    {%- set names = (
        "utc etc/utc uct etc/uct gmt etc/gmt greenwich etc/greenwich zulu etc/zulu z"
    ) -%}
    {{ return("UTC" if zone | lower in names.split() else zone) }}
{% endmacro %}
