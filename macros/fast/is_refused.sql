{#
Delta refuses versions that are older than the table keeps deleted files, whether they are there or
not. Its releases differ in that, so the engine is asked, but only about old ones.

Args: table (SQL text: what is read), commit (the oldest that it takes, or none: history does not
    hold it), properties (of the table).
Returns: bool.
#}
{% macro _is_refused(table, commit, properties) %}
    {%- set kept = dbt_mview._kept_micros(properties) -%}
    {%- if commit and commit.commit_time > dbt_mview._now_micros() - kept -%}
        {{ return(false) }}
    {%- endif -%}
    {{ return(not dbt_mview._succeeds("feed", "select 1 from " ~ table ~ " where false")) }}
{% endmacro %}


{# How long a table keeps deleted files. Args: properties (of it). Returns: int (microseconds). #}
{% macro _kept_micros(properties) %}
    {%- set kept = properties.get("delta.deletedFileRetentionDuration", "interval 1 week") -%}
    {%- set parts = modules.re.search("(\\d+) *(second|minute|hour|day|week)", kept | lower) -%}
    {%- set units = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800} -%}
    {%- set seconds = (parts.group(1) | int) * units[parts.group(2)] if parts else 0 -%}
    {{ return(seconds * 1000000) }}
{% endmacro %}
