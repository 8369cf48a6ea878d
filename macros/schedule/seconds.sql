{#
A duration as Databricks and Snowflake write it: '1 hour', '90 minutes', '1 day 12 hours', or a
number of seconds. Less than a second is taken as one, with a warning, so that nothing runs
without end (TiDB clamps the same way).

Args: id (string), key (of the config), value. Returns: int, seconds.
Errors: no duration.
#}
{% macro _seconds(id, key, value) %}
    {%- set units = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800} -%}
    {%- set part = "(-?\\d+)\\s*(second|minute|hour|day|week)s?" -%}
    {%- set text = value | string | trim | lower -%}
    {%- if modules.re.fullmatch("-?\\d+", text) -%}
        {%- set text = text ~ " seconds" -%}
    {%- endif -%}
    {%- if not modules.re.fullmatch("(?:interval\\s+)?" ~ part ~ "(?:\\s+" ~ part ~ ")*", text) -%}
        {%- do dbt_mview._raise(
            id,
            key ~ " is '" ~ value ~ "'.",
            "Give a duration such as '10 minutes', '1 hour' or '1 day 12 hours'.",
        ) -%}
    {%- endif -%}
    {%- set sum = namespace(seconds=0) -%}
    {%- for count, unit in modules.re.findall(part, text) -%}
        {%- set sum.seconds = sum.seconds + (count | int) * units[unit] -%}
    {%- endfor -%}
    {%- if sum.seconds < 1 -%}
        {%- do exceptions.warn(
            "dbt_mview: " ~ id ~ ": " ~ key ~ " is '" ~ value ~ "', taken as 1 second"
        ) -%}
    {%- endif -%}
    {{ return([sum.seconds, 1] | max) }}
{% endmacro %}
