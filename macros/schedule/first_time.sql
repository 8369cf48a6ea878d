{# When something is due: for the first time, and after each run that was planned. #}
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
The same for a member of a refresh group with an interval. Members are refreshed together as soon as
one is due: were each interval counted from the moment that its view was built, the group would be
refreshed once for each of them. So they count from the start of the run, or on from the plan of a
member that has the same schedule already.

Args: spec (mview_id, schedule), together (rows of state by id, see _refreshed_together).
Returns: int (microseconds).
#}
{% macro _first_time_in_group(spec, together) %}
    {%- set times = [] -%}
    {%- for row in together.values() if row and row.schedule == spec.schedule -%}
        {%- if row.next_time is not none -%} {%- do times.append(row.next_time) -%} {%- endif -%}
    {%- endfor -%}
    {%- set began = (run_started_at.timestamp() * 1000000) | int -%}
    {%- set last = times | min if times else dbt_mview._engine_time(began) -%}
    {%- if last > dbt_mview._clock().now -%} {{ return(last) }}{%- endif -%}
    {{ return(dbt_mview._following_time(spec.mview_id, spec.schedule, last)) }}
{% endmacro %}


{#
When a view that waits for its sources is checked again, or when one with an interval runs next.

Args: schedule (every, on_update or target_lag), now, ready (ints, microseconds; ready or none).
Returns: int (microseconds).
#}
{% macro _after_pause(schedule, now, ready) %}
    {%- set from = ready or now if "target_lag" in schedule else now -%}
    {%- set pause = schedule.get("every") or schedule.get("at_most_every") -%}
    {{ return(from + (schedule.get("target_lag") or pause or 0) * 1000000) }}
{% endmacro %}


{#
NEXT_TIME after a scheduled run: NEXT alone counts; with a START WITH alone there is none (TiDB's
rule of a run). An interval continues from the planned time, so it does not drift; missed times are
skipped.

Args: id (string), schedule, last (int, microseconds: the planned time), ready (see _first_time).
Returns: int (microseconds) or none.
#}
{% macro _following_time(id, schedule, last, ready=none) %}
    {%- if "cron" in schedule -%} {{ return(none) }}{%- endif -%}
    {%- if "next" in schedule and not schedule.next -%} {{ return(none) }}{%- endif -%}
    {%- set at = dbt_mview._times({"next": schedule.get("next")}) -%}
    {%- if "next" in schedule -%}
        {%- if at.next is not none and at.next <= at.now -%}
            {%- do exceptions.warn(
                "dbt_mview: "
                ~ id
                ~ ": `next` evaluates to "
                ~ dbt_mview._iso(at.next)
                ~ ", which is over: it is due again at once"
            ) -%}
        {%- endif -%}
        {{ return(at.next) }}
        {%- elif "every" in schedule -%}
        {{ return(dbt_mview._after_interval(schedule, last, at.now)) }}
    {%- endif -%}
    {{ return(dbt_mview._after_pause(schedule, at.now, ready)) }}
{% endmacro %}


{# The first planned time after a moment. Args: schedule (every), last, now. Returns: see above. #}
{% macro _after_interval(schedule, last, now) %}
    {%- set step = schedule.every * 1000000 -%}
    {{ return(last + ([now - last, 0] | max // step + 1) * step) }}
{% endmacro %}


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
