{#
One refresh of one view after _look found something to do, as the protocol reads
(docs/protocol.md). The same steps serve the materialization and the run-operation, and print
themselves in a dry run.

Args: spec (what the view is, see _spec_from_model), job (this refresh, see _job).
#}
{% macro _refresh(spec, job) %}
    {%- do dbt_mview._acquire(spec, job) -%}
    {%- if job.skip -%}
        {%- do dbt_mview._record_skip(spec, job) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do dbt_mview._recover(spec, job) -%}
    {%- do dbt_mview._pin(spec, job) -%}
    {%- do dbt_mview._plan(spec, job) -%}
    {%- do dbt_mview._stage(spec, job) -%}
    {%- do dbt_mview._audit(spec, job) -%}
    {%- do dbt_mview._alter(spec, job) -%}
    {%- do dbt_mview._publish(spec, job) -%}
    {%- do dbt_mview._record(spec, job) -%}
    {%- do dbt_mview._sweep(spec, job) -%}
{% endmacro %}


{#
A refresh that begins.

Args: spec; unique_id (of the model, or the mview_id), dry_run, force (take the lock even from
    a holder whose lease runs), record_now (bools).
Returns: mapping that the steps fill in.
#}
{% macro _job(spec, unique_id, dry_run=false, force=false, record_now=false) %}
    {%- do dbt_mview._ensure_state() -%}
    {%- set states = dbt_mview._memory().states -%}
    {%- set state = states[spec.mview_id] if spec.mview_id in states
        else dbt_mview._read_state(spec.mview_id) -%}
    {%- set job = {
        "id": local_md5(invocation_id ~ spec.mview_id),
        "spec": spec, "unique_id": unique_id, "owner": invocation_id, "dry_run": dry_run, "force": force,
        "record_now": record_now, "token": none, "holder": none, "skip": none, "commit": none,
        "state": state, "started": dbt_mview._now_micros(), "method": none, "publish": none,
        "alterations": [], "staged": false, "deferred": false, "columns": [], "sources": [],
    } -%}
    {%- do dbt_mview._memory().jobs.update({unique_id: job}) -%}
    {{ return(job) }}
{% endmacro %}


{# Returns: int, microseconds since the epoch by the client's clock: for durations only. #}
{% macro _now_micros() %}
    {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
    {{ return((now.timestamp() * 1000000) | round | int) }}
{% endmacro %}
