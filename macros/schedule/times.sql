{#
What the expressions of a schedule are worth now. They are the user's SQL; a value without a zone
is taken as UTC. A text has one if letters or a sign follow its minutes.

Args: schedule (see _schedule). Returns: mapping now, start, next (microseconds or none).
Errors: the engine's own, for an expression that is none or no time.
#}
{% macro _times(schedule) %}
    {%- set row = dbt_mview._read(
        "times", dbt_mview._times_sql(schedule.get("start_with"), schedule.get("next"))
    ).rows[0] -%}
    {%- set times = {} -%}
    {%- for name in ["now", "start", "next"] -%}
        {%- set value = row[loop.index0] -%}
        {%- do times.update({name: none if value is none else value | int}) -%}
    {%- endfor -%}
    {{ return(times) }}
{% endmacro %}


{# Args: start, next (SQL texts or none). Returns: SQL text, one row of microseconds. #}
{% macro _times_sql(start, next) -%}
    select
        unix_micros(current_timestamp()) as now,
        {{ dbt_mview._micros_sql(start) }} as start,
        {{ dbt_mview._micros_sql(next) }} as next
{%- endmacro %}


{# Args: text (SQL expression or none). Returns: SQL text. #}
{% macro _micros_sql(text) -%}
    {%- if not text -%} cast(null as bigint)
    {%- else -%}
        {#- On lines of its own: it may end in a comment. -#}
        {%- set value = "(\n" ~ text ~ "\n)" -%}
        unix_micros(
            if(
                typeof({{ value }}) = 'timestamp'
                or cast({{ value }} as string) rlike ':[0-9]{2}.*[A-Za-z+-]',
                cast({{ value }} as timestamp),
                cast(concat(cast(cast({{ value }} as timestamp_ntz) as string), 'Z') as timestamp)
            )
        )
    {%- endif -%}
{%- endmacro %}
