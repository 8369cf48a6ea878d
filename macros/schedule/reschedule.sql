{# What a run makes of a plan, and how a plan is shown to people. #}
{#
What becomes of a view's plan with this refresh, or with a skip. It moves after the run that was
planned, unless another run has moved it meanwhile. Where it depends on the refresh, it moves with
every one that is no skip. A manual refresh leaves it alone.

Args: spec (mview_id, schedule, refresh_group), job (state, scheduled, skip, read_time, started),
    together (rows of state by id, see _refreshed_together).
Returns: mapping schedule, next_time (what state is to hold), or none: it stays as it is.
#}
{% macro _reschedule(spec, job, together) %}
    {%- set was = job.state.schedule if job.state else none -%}
    {%- set now = spec.schedule -%}
    {%- set ready = none -%}
    {%- if job.read_time -%}
        {#- The next refresh should end in time; it will take about as long as this one. -#}
        {%- set ready = job.read_time - (dbt_mview._now_micros() - job.started) -%}
    {%- endif -%}
    {%- if now != was -%}
        {%- set grouped = spec.refresh_group and now and "every" in now -%}
        {%- set next = (
            dbt_mview._first_time_in_group(spec, together)
            if grouped
            else dbt_mview._first_time(now, ready)
        ) -%}
        {{ return(dbt_mview._next_plan(now, next, job.started)) }}
    {%- endif -%}
    {%- if now and dbt_mview._waits_for_sources(now) -%}
        {%- if job.skip -%} {{ return(none) }}{%- endif -%}
    {%- elif not job.scheduled or not dbt_mview._time_has_come(job.state) -%} {{ return(none) }}
    {%- endif -%}
    {%- set next = dbt_mview._following_time(spec.mview_id, now, job.state.next_time, ready) -%}
    {{ return(dbt_mview._next_plan(now, next, job.started)) }}
{% endmacro %}


{#
The same of a refresh whose run died after it had published, as who recovers it records it: a plan
that was carried out is not carried out twice. It counts from the time of that lock. An expression
for the next time is not evaluated for somebody else: what is still due is checked again.

Args: row (of state as the lock was found), holder (lock_time, intent), published (its commit).
Returns: see _reschedule.
#}
{% macro _reschedule_recovered(row, holder, published) %}
    {%- set schedule = row.schedule if row else none -%}
    {%- if not schedule or row.next_time is none or "next" in schedule -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set plan, began = {"schedule": schedule}, holder.lock_time -%}
    {%- if dbt_mview._waits_for_sources(schedule) -%}
        {%- set took = published.commit_time - began -%}
        {%- set read = published.meta.get("read_time") -%}
        {%- set ready = read - took if read else none -%}
        {%- set next = dbt_mview._after_pause(schedule, published.commit_time, ready) -%}
        {{ return(dict(plan, next_time=next)) }}
    {%- endif -%}
    {%- set planned = (holder.intent or {}).get("scheduled") and row.next_time <= began -%}
    {%- if not planned -%} {{ return(none) }}{%- endif -%}
    {%- if "cron" in schedule -%}
        {{ return({"schedule": dict(schedule, after=began), "next_time": none}) }}
    {%- endif -%}
    {%- set next = dbt_mview._after_interval(schedule, row.next_time, began) -%}
    {{ return(dict(plan, next_time=next)) }}
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
When the plan was due for which the scheduler service has begun this run. It says so for each view
in DBT_MVIEW_DUE: a var would have dbt parse the project anew.

Args: id (mview_id). Returns: microseconds, or none: nobody has planned the run.
#}
{% macro _planned_due(id) %}
    {{ return(fromjson(env_var("DBT_MVIEW_DUE", "{}")).get(id)) }}
{% endmacro %}


{#
Whether another run has carried out that plan meanwhile: it refreshed the view, or failed, and the
view is due later now. Members of a refresh group, which is published as a whole, are told the same.

Args: together (rows of state by id, see _refreshed_together). Returns: bool.
#}
{% macro _is_plan_over(together) %}
    {%- set planned = [] -%}
    {%- for id in together -%}
        {%- set due = dbt_mview._planned_due(id) -%}
        {%- if due is not none -%} {%- do planned.append(due) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(planned != [] and dbt_mview._all_due_after(planned | min, together.values())) }}
{% endmacro %}


{#
Whether some views are all due later than a moment, or have failed too often to be due at all.

Args: due (microseconds), rows (of state, or none: one was never built).
Returns: bool. One that was never built is not; one without a plan is refreshed with the others.
#}
{% macro _all_due_after(due, rows) %}
    {%- set found = namespace(later=false, sooner=false) -%}
    {%- for row in rows -%}
        {%- if not row -%} {%- set found.sooner = true -%}
        {%- elif row.schedule -%}
            {#- A cron expression whose next time is not worked out yet has none. -#}
            {%- set at = dbt_mview._due_at(row) -%}
            {%- set is_open = at is not none and at <= due and not dbt_mview._is_broken(row) -%}
            {%- if is_open -%} {%- set found.sooner = true -%}
            {%- else -%} {%- set found.later = true -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found.later and not found.sooner) }}
{% endmacro %}


{#
Whether purges are paused or broken, or the last one failed a moment ago.

Args: row (of state). Returns: bool.
#}
{% macro _is_held_back(row) %}
    {%- set waits = row.retry_time is not none and row.retry_time > dbt_mview._clock().now -%}
    {{ return(waits or row.paused_time is not none or dbt_mview._is_broken(row)) }}
{% endmacro %}


{#
A schedule as state holds it: a cron expression, whose time is not computed here, with the moment
from which it counts. That is the start of the run that was due: what fires during that run is not
lost, and runs that fail, or come before their time, do not change it.

Args: schedule (see _schedule, or none), began (int, microseconds by the client's clock).
Returns: mapping, with after (microseconds by the engine's clock) beside cron; or none.
#}
{% macro _counted_from(schedule, began) %}
    {%- if not schedule or "cron" not in schedule -%} {{ return(schedule) }}{%- endif -%}
    {{ return(dict(schedule, after=dbt_mview._engine_time(began))) }}
{% endmacro %}


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
