{#
NEXT_TIME of what is scheduled for the first time, or in another way than before. START WITH goes
before NEXT, unless it is nearer than ten seconds and there is a NEXT (TiDB's rule of CREATE). The
time of a cron expression is left open, see _cron.

Args: schedule (see _schedule, or none), ready (int, microseconds: the data's age for target_lag,
    or none). Returns: int (microseconds) or none.
Errors: the engine's own, for an expression that is none.
#}
{% macro _first_time(schedule, ready=none) %}
    {%- if schedule is none or "cron" in schedule -%} {{ return(none) }}{%- endif -%}
    {%- set at = dbt_mview._times(schedule) -%}
    {%- if "next" in schedule -%}
        {%- set near = at.start is not none and at.start < at.now + 10000000 -%}
        {%- if schedule.start_with and not (near and schedule.next) -%}
            {{ return(at.start) }}
        {%- endif -%}
        {{ return(at.next) }}
    {%- endif -%}
    {{ return(dbt_mview._after_pause(schedule, at.now, ready)) }}
{% endmacro %}


{#
When what waits for its sources may be looked at again, or what runs at an interval runs next.

Args: schedule (every, on_update or target_lag), now, ready (ints, microseconds; ready or none).
Returns: int (microseconds).
#}
{% macro _after_pause(schedule, now, ready) %}
    {%- set from = ready or now if "target_lag" in schedule else now -%}
    {%- set pause = schedule.get("every") or schedule.get("at_most_every") -%}
    {{ return(from + (schedule.get("target_lag") or pause or 0) * 1000000) }}
{% endmacro %}
