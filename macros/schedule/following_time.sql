{#
NEXT_TIME after a scheduled run: NEXT alone counts; with a START WITH alone there is none (TiDB's
rule of a run). An interval goes on from the time that was planned, so that it does not drift, and
leaves out what was missed.

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
        {%- set step = schedule.every * 1000000 -%}
        {{ return(last + ([at.now - last, 0] | max // step + 1) * step) }}
    {%- endif -%}
    {{ return(dbt_mview._after_pause(schedule, at.now, ready)) }}
{% endmacro %}
