{#
The setting that a view was made with, where this session has another. Spark reads a view by its
own: in the session's, its text would mean something else. A cast that fails is NULL without ANSI
mode; date(at) is another day in another time zone.

Args: name (of a view). Returns: string, `spark.sql.ansi.enabled = true`, or none; also where the
    catalog does not say.
#}
{% macro _made_with_another(name) %}
    {%- set sql = "describe extended " ~ dbt_mview._quoted_name(name) ~ " as json" -%}
    {%- set facts = fromjson(dbt_mview._read("view_settings", sql).rows[0][0]) -%}
    {%- set made = facts.get("view_creation_spark_configuration") or {} -%}
    {%- set ansi = made.get("spark.sql.ansi.enabled") -%}
    {%- set zone = made.get("spark.sql.session.timeZone") -%}
    {%- if zone and dbt_mview._zone_name(zone) != dbt_mview._time_zone() -%}
        {{ return("spark.sql.session.timeZone = " ~ zone) }}
    {%- elif ansi and (ansi | lower == "true") != dbt_mview._clock().ansi -%}
        {{ return(none if dbt_mview._is_plain(name) else "spark.sql.ansi.enabled = " ~ ansi) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
