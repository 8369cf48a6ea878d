{#
The purge that a log's config plans: writes a new plan down, and purges when its time has come.
Where another run is purging the log at this moment, that run does it.

Args: spec (mlog_id, schedule), row (of state). Errors: as _purge.
#}
{% macro _purge_when_due(spec, row) %}
    {%- set began = dbt_mview._now_micros() -%}
    {%- if row.schedule != spec.schedule -%}
        {%- set next = dbt_mview._first_time(spec.schedule) -%}
        {%- set plan = dbt_mview._next_plan(spec.schedule, next, began) -%}
        {%- do dbt_mview._replan_log(
            spec.mlog_id, {"id": invocation_id, "dry_run": false, "plan": plan}
        ) -%}
    {%- elif dbt_mview._time_has_come(row) and not dbt_mview._is_held_back(row) -%}
        {%- if row.lock_owner and not row.lease_over -%}
            {%- do exceptions.warn(
                "dbt_mview: "
                ~ spec.mlog_id
                ~ ": another run is purging it, this one does not"
            ) -%}
            {{ return(none) }}
        {%- endif -%}
        {%- set job = dbt_mview._purge_job(spec.mlog_id, "automatic") -%}
        {#- Where it fails, on-run-end finds it here, see _failed_purge. -#}
        {%- set purges = dbt_mview._memory().setdefault("purges", {}) -%}
        {%- do purges.update({model.unique_id: {"log_": {"mlog_id": spec.mlog_id}, "job": job}}) -%}
        {%- set next = dbt_mview._following_time(spec.mlog_id, row.schedule, row.next_time) -%}
        {%- set plan = dbt_mview._next_plan(row.schedule, next, began) -%}
        {%- do job.update({"row": row, "plan": plan}) -%}
        {%- do dbt_mview._purge(spec.mlog_id, job) -%}
        {%- do job.update({"closed": true}) -%}
    {%- endif -%}
{% endmacro %}


{# Step schedule: the plan of a log. Args: mlog_id, job (plan, see _replan_sql). #}
{% macro _replan_log(mlog_id, job) %}
    {%- set sql = (
        "update "
        ~ dbt_mview._log_info_table()
        ~ "\nset\n    "
        ~ dbt_mview._replan_sql(job.plan)
        ~ "\nwhere mlog_id = "
        ~ dbt_mview._literal(mlog_id)
    ) -%}
    {%- do dbt_mview._run("schedule", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}


{#
Whether purges are paused or broken, or the last one failed a moment ago.

Args: row (of state). Returns: bool.
#}
{% macro _is_held_back(row) %}
    {%- set waits = row.retry_time is not none and row.retry_time > dbt_mview._clock().now -%}
    {{ return(waits or row.paused_time is not none or dbt_mview._is_broken(row)) }}
{% endmacro %}
