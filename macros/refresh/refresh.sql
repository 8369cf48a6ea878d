{#
One refresh as the protocol reads: its steps in order. The job that goes through them begins here,
and what dbt's line says of it at the end.
#}
{#
One refresh of one view after _look found something to do, as the protocol reads
(docs/protocol.md). The same steps serve the materialization and the run-operation, and print
themselves in a dry run. A member of a refresh group ends here with what it staged; the last one to
get there publishes for all (see _group_barrier).

Args: spec (what the view is, see _spec_from_model), job (this refresh, see _job).
#}
{% macro _refresh(spec, job) %}
    {%- do dbt_mview._plan_before_lock(spec, job) -%}
    {%- do dbt_mview._acquire(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
    {%- if job.skip -%}
        {%- do dbt_mview._record_skip(spec, job) -%} {{ return(none) }}
    {%- endif -%}
    {%- if job.preplanned -%}
        {%- set own = {"token": job.token, "lease": job.lease, "run_text": job.run_text} -%}
        {%- do job.update(dict(job.preplanned, **own)) -%}
    {%- else -%} {%- do dbt_mview._pin(spec, job) -%} {%- do dbt_mview._plan(spec, job) -%}
    {%- endif -%}
    {%- do dbt_mview._renew_lease(spec, job) -%}
    {%- do dbt_mview._stage(spec, job) -%}
    {%- do dbt_mview._audit(spec, job) -%}
    {%- if not job.waits -%} {%- do dbt_mview._finish(spec, job) -%} {%- endif -%}
{% endmacro %}


{# The second half: what readers and others get to see. Args: spec, job. #}
{% macro _finish(spec, job) %}
    {%- do dbt_mview._renew_lease(spec, job) -%}
    {%- do dbt_mview._alter(spec, job) -%}
    {%- do dbt_mview._publish(spec, job) -%}
    {%- do dbt_mview._sweep(spec, job) -%}
    {%- do dbt_mview._record(spec, job) -%}
    {%- do dbt_mview._persist_docs(spec, job, dbt_mview._known_comment(spec, job)) -%}
{% endmacro %}


{#
A refresh that begins.

Args: spec, unique_id (of the model, or the mview_id), dry_run, record_now (bools).
Returns: see _job_record.
#}
{% macro _job(spec, unique_id, dry_run=false, record_now=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set states = dbt_mview._memory().states -%}
    {%- set state = states.get(spec.mview_id) -%}
    {%- if spec.mview_id not in states or (state and state.lock_owner) -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
    {%- endif -%}
    {%- set job = dbt_mview._job_record(
        {
            "id": local_md5(
                invocation_id ~ spec.mview_id ~ dbt_mview._time_in_run(spec.mview_id)
            ),
            "spec": spec,
            "unique_id": unique_id,
            "owner": invocation_id,
            "dry_run": dry_run,
            "record_now": record_now,
            "state": state,
            "started": dbt_mview._now_micros(),
            "scheduled": not record_now and dbt_mview._time_has_come(state),
        }
    ) -%}
    {%- do dbt_mview._memory().jobs.update({unique_id: job}) -%}
    {{ return(job) }}
{% endmacro %}


{#
dbt's own line of the model. Its code tells a program what the text tells people: LEFT is a SKIP
that compared nothing, as another run has the view.

Args: job.
#}
{% macro _report_result(job) %}
    {%- set rows = job.commit.rows if job.commit else 0 -%}
    {%- set text = dbt_mview._result_text(job) -%}
    {%- set code = "LEFT" if job.left_to_other else dbt_mview._result_word(job) -%}
    {%- do store_raw_result("main", message=text, code=code, rows_affected=rows) -%}
{% endmacro %}


{#
What was done, why, and which version came of it; what waits for its refresh group has none yet.

Args: job. Returns: string, which begins with _result_word.
#}
{% macro _result_text(job) %}
    {%- set word, method = dbt_mview._result_word(job), dbt_mview._method_word(job) -%}
    {%- set reason = dbt_mview._reason_of_job(job) -%}
    {%- if job.skip -%} {{ return(word ~ " " ~ job.skip) }}
    {%- elif job.commit is none -%}
        {%- set group = word ~ " " ~ method ~ " for refresh_group " ~ job.spec.refresh_group -%}
        {{ return(group ~ ": " ~ reason) }}
    {%- endif -%}
    {%- set what = " rows differ: " if method == "COMPLETE" and job.fast else " rows: " -%}
    {{ return(word ~ " v" ~ job.commit.version ~ ", " ~ job.commit.rows ~ what ~ reason) }}
{% endmacro %}


{# Args: job. Returns: SKIP, STAGED, DEFERRED, COMPLETE or FAST. #}
{% macro _result_word(job) %}
    {%- if job.skip -%} {{ return("SKIP") }}
    {%- elif job.commit is none -%} {{ return("STAGED") }}
    {%- endif -%}
    {{ return(dbt_mview._method_word(job)) }}
{% endmacro %}


{# Args: job. Returns: DEFERRED, COMPLETE or FAST. #}
{% macro _method_word(job) %}
    {{ return("DEFERRED" if job.deferred else job.method | upper) }}
{% endmacro %}
