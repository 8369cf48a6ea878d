{# A lock that another run holds: NOWAIT, on_lock, and what is left to that run. #}
{#
A lock that is held ends this run at once (NOWAIT), unless its lease is over or its holder has
published: the publishing commit frees the view, the recording of it may follow. With on_lock `skip`
the run leaves the view to the other one, with `wait` it looks until the lock is free. A run of the
scheduler service does nothing that another run has done for the same plan, or is about to record.

Args: spec (on_lock, lock_wait), job. Sets job.holder; job.skip and job.left_to_other; job.refused
    where the lock is held; job.state, job.wait_until where it has waited.
Returns: bool, whether it has waited, so that the look begins anew.
Errors: another run is refreshing the view, after lock_wait too.
#}
{% macro _check_lock(spec, job) %}
    {%- set state = job.state -%}
    {#- Operations, as in hooks of the project, are of no plan. -#}
    {%- if spec.from_model and dbt_mview._is_plan_over(
        dbt_mview._refreshed_together(spec, state)
    ) -%}
        {%- set skip = "another run has carried out this plan" -%}
        {%- do job.update({"left_to_other": true, "skip": skip}) -%} {{ return(false) }}
    {%- elif state is none or state.lock_owner is none -%} {{ return(false) }}
    {%- endif -%}
    {%- set published = dbt_mview._published(job.target, state.refresh_job_id) -%}
    {%- do job.update({"holder": dbt_mview._holder(state, published)}) -%}
    {#- A group is published as a whole: none of its members alone is left to another run. -#}
    {%- set alone = spec.from_model and not spec.refresh_group -%}
    {%- set planned = alone and dbt_mview._planned_due(spec.mview_id) is not none -%}
    {%- if planned and published is not none and not state.lease_over -%}
        {%- set skip = "another run (" ~ state.lock_owner ~ ") has just published it" -%}
        {%- do job.update({"left_to_other": true, "skip": skip}) -%} {{ return(false) }}
    {%- endif -%}
    {%- if published is none and not state.lease_over and not job.force -%}
        {%- if spec.on_lock == "wait" and dbt_mview._wait_for_lock(spec, job) -%}
            {{ return(true) }}
        {%- endif -%}
        {%- do job.update({"refused": true}) -%}
        {%- if spec.on_lock == "skip" -%}
            {%- set run = state.lock_owner ~ ", since " ~ dbt_mview._iso(state.lock_time) -%}
            {%- set skip = "another run (" ~ run ~ ") is refreshing it" -%}
            {%- do job.update({"left_to_other": true, "skip": skip}) -%} {{ return(false) }}
        {%- endif -%}
        {%- do dbt_mview._raise_busy(
            "refreshing",
            spec.mview_id,
            state,
            "if that run is dead, free the view now with "
            ~ "`dbt run-operation mview_recover --args '{view: "
            ~ spec.mview_id
            ~ "}'`.",
        ) -%}
    {%- endif -%}
    {{ return(false) }}
{% endmacro %}


{#
Waits until the lock of a view is free, its lease is over or its holder has published, for at most
lock_wait seconds in all. Jinja cannot sleep; so the engine does, for two seconds each time.

Args: spec (lock_wait), job (state, holder). Sets job.wait_until, job.state.
Returns: bool, whether it is worth another look. Errors: the engine cannot sleep.
#}
{% macro _wait_for_lock(spec, job) %}
    {%- if job.wait_until is none -%}
        {%- set until = dbt_mview._now_micros() + spec.lock_wait * 1000000 -%}
        {%- do job.update({"wait_until": until}) -%}
        {%- do log(
            "dbt_mview: "
            ~ spec.mview_id
            ~ ": waits up to "
            ~ spec.lock_wait
            ~ " s for run "
            ~ job.holder.owner,
            info=true,
        ) -%}
    {%- endif -%}
    {%- set free = namespace(now=false) -%}
    {#- By the clock; the number of naps ends it where the clock stands still. -#}
    {%- for nap in range(spec.lock_wait)
        if not free.now and dbt_mview._now_micros() < job.wait_until -%}
        {%- set sql = "select java_method('java.lang.Thread', 'sleep', 2000L)" -%}
        {%- if not dbt_mview._succeeds("nap", sql) -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "on_lock is 'wait', and this engine has no java_method() to wait by.",
                "Set on_lock to 'skip' or 'fail'.",
            ) -%}
        {%- endif -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
        {%- do job.update({"state": state}) -%}
        {%- if state is none or state.lock_owner is none or state.lease_over -%}
            {%- set free.now = true -%}
        {%- else -%}
            {%- set target_table = dbt_mview._target(spec, state) -%}
            {%- set done = dbt_mview._published(target_table, state.refresh_job_id) -%}
            {%- set free.now = done is not none -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(free.now) }}
{% endmacro %}
