{#
A schedule as state holds it: a cron expression, whose time is left open, with the moment from which
it counts. That is when the run that was due began: what fires while it goes on is not lost, and
runs that fail, or come before their time, leave it.

Args: schedule (see _schedule, or none), began (int, microseconds by the client's clock).
Returns: mapping, with after (microseconds by the engine's clock) beside cron; or none.
#}
{% macro _counted_from(schedule, began) %}
    {%- if not schedule or "cron" not in schedule -%} {{ return(schedule) }}{%- endif -%}
    {{ return(dict(schedule, after=dbt_mview._engine_time(began))) }}
{% endmacro %}


{# As the config says it. Args: stored (string, JSON, or none). Returns: mapping or none. #}
{% macro _schedule_of_state(stored) %}
    {%- if not stored -%} {{ return(none) }}{%- endif -%}
    {%- set schedule = fromjson(stored) -%}
    {%- do schedule.pop("after", none) -%}
    {{ return(schedule) }}
{% endmacro %}
