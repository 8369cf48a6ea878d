{#
When something is due next, as info shows it.

Args: row (of state: schedule, next_time, retry_time, failures, paused_time). Returns: string.
#}
{% macro _next_of(row) %}
    {%- if row.paused_time is not none -%}
        {{ return("paused since " ~ dbt_mview._iso(row.paused_time)) }}
    {%- elif dbt_mview._is_broken(row) -%}
        {{ return("BROKEN after " ~ row.failures ~ " failures: mview_reset") }}
    {%- elif not row.schedule -%} {{ return("-") }}
    {%- elif row.retry_time is not none -%}
        {{ return(dbt_mview._iso(row.retry_time) ~ " (retry " ~ row.failures ~ ")") }}
    {%- elif row.next_time is none -%}
        {{ return("dbt-mview due" if "cron" in row.schedule else "never") }}
    {%- elif dbt_mview._waits_for_sources(row.schedule) -%}
        {{ return("on change, from " ~ dbt_mview._iso(row.next_time)) }}
    {%- endif -%}
    {{ return(dbt_mview._iso(row.next_time)) }}
{% endmacro %}
