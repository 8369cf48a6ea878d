{#
A refresh that begins.

Args: spec, unique_id (of the model, or the mview_id), dry_run, record_now (bools).
Returns: mapping that the steps fill in; force: take the lock even while its lease runs; explained:
    what cannot be FAST is told, not refused.
#}
{% macro _job(spec, unique_id, dry_run=false, record_now=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set states = dbt_mview._memory().states -%}
    {%- set state = states.get(spec.mview_id) -%}
    {%- if spec.mview_id not in states or (state and state.lock_owner) -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
    {%- endif -%}
    {%- set job = {
        "id": local_md5(
            invocation_id ~ spec.mview_id ~ dbt_mview._time_in_run(spec.mview_id)
        ),
        "spec": spec,
        "unique_id": unique_id,
        "owner": invocation_id,
        "dry_run": dry_run,
        "force": false,
        "explained": false,
        "record_now": record_now,
        "token": none,
        "holder": none,
        "skip": none,
        "kept": none,
        "commit": none,
        "state": state,
        "started": dbt_mview._now_micros(),
        "method": none,
        "publish": none,
        "fast": none,
        "changes": [],
        "alterations": [],
        "scheduled": not record_now and dbt_mview._time_has_come(state),
        "staged": false,
        "waits": false,
        "decided": false,
        "deferred": false,
        "columns": [],
        "sources": [],
        "ahead": [],
    } -%}
    {%- do dbt_mview._memory().jobs.update({unique_id: job}) -%}
    {{ return(job) }}
{% endmacro %}


{#
What parts a refresh or purge from an earlier one of the same view or log in this run: an on-run-end
hook may do it once more.

Args: id (mview_id or mlog_id). Returns: string, empty the first time.
#}
{% macro _time_in_run(id) %}
    {%- set begun = dbt_mview._memory().begun -%}
    {%- set times = begun.get(id, 0) -%}
    {%- do begun.update({id: times + 1}) -%}
    {{ return("/" ~ times if times else "") }}
{% endmacro %}


{# Returns: int, microseconds since the epoch by the client's clock: for durations only. #}
{% macro _now_micros() %}
    {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
    {{ return((now.timestamp() * 1000000) | round | int) }}
{% endmacro %}
