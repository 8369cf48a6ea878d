{#
What becomes of a view's plan with this refresh, or with a skip. It moves after the run that was
planned, unless another run has moved it meanwhile. Where it depends on the refresh, it moves with
every one that is no skip. A manual refresh leaves it alone.

Args: spec (schedule), job (state, scheduled, skip, read_time, started).
Returns: mapping schedule, next_time (what state is to hold), or none: it stays as it is.
#}
{% macro _reschedule(spec, job) %}
    {%- set was = job.state.schedule if job.state else none -%}
    {%- set now = spec.schedule -%}
    {%- set ready = none -%}
    {%- if job.get("read_time") -%}
        {#- The next refresh should end in time; it will take about as long as this one. -#}
        {%- set ready = job.read_time - (dbt_mview._now_micros() - job.started) -%}
    {%- endif -%}
    {%- if now != was -%}
        {%- set next = dbt_mview._first_time(now, ready) -%}
        {{ return(dbt_mview._next_plan(now, next, job.started)) }}
    {%- endif -%}
    {%- if now and dbt_mview._waits_for_sources(now) -%}
        {%- if job.skip -%} {{ return(none) }}{%- endif -%}
    {%- elif not job.scheduled or not dbt_mview._time_has_come(job.state) -%} {{ return(none) }}
    {%- endif -%}
    {%- set next = dbt_mview._following_time(spec.mview_id, now, job.state.next_time, ready) -%}
    {{ return(dbt_mview._next_plan(now, next, job.started)) }}
{% endmacro %}


{# What state is to hold. Args: schedule, next_time, began (see _counted_from). Returns: mapping. #}
{% macro _next_plan(schedule, next_time, began) %}
    {%- set schedule = dbt_mview._counted_from(schedule, began) -%}
    {{ return({"schedule": schedule, "next_time": next_time}) }}
{% endmacro %}


{#
Whether the planned time has come: then a run is the planned one, also before a retry is due.

Args: row (of state: schedule, next_time; or none). Returns: bool.
#}
{% macro _time_has_come(row) %}
    {%- if not row or not row.schedule or row.next_time is none -%}
        {{ return(false) }}
    {%- endif -%}
    {{ return(row.next_time <= dbt_mview._clock().now) }}
{% endmacro %}


{#
Expressions that are none are refused before anything is built. Only new ones are asked about.

Args: schedule (or none), was (the one in state, or none). Errors: the engine's own.
#}
{% macro _check_schedule(schedule, was) %}
    {%- if schedule and schedule != was and "next" in schedule -%}
        {%- do dbt_mview._times(schedule) -%}
    {%- endif -%}
{% endmacro %}


{# Whether a change of a source makes it due. Args: schedule. Returns: bool. #}
{% macro _waits_for_sources(schedule) %}
    {{ return("on_update" in schedule or "target_lag" in schedule) }}
{% endmacro %}
