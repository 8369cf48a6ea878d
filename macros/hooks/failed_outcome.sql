{# What a failed model leaves in state, after what it had begun was undone. #}
{#
What a failed model leaves in state. Published already: a success that says what failed after it.
Refused because another run holds the lock, or took it over: nothing, that run will write. One that
failed before it had recovered what a dead holder left gives the lock back to that one, because only
that row names it; the lease is over, so the next run does not wait.

Args: result (dbt's), job (mapping or none), outcome (of a publish, or none).
Returns: mapping or none.
#}
{% macro _failed_outcome(result, job, outcome) %}
    {%- set message = result.message | string -%}
    {%- if job and job.waits and result.status | string == "success" -%}
        {%- set in_vain = dbt_mview._failed_reason(
            "group_not_published", job.spec.refresh_group
        ) -%}
        {%- set message = job.group_failure or in_vain -%}
    {%- endif -%}
    {%- if outcome -%}
        {%- set skipped = outcome.type == "skip" -%}
        {%- set done = "nothing was to be refreshed" if skipped else "published" -%}
        {%- do outcome.update(
            {
                "failed_reason": done ~ ", but failed afterwards: " ~ message,
                "spec": dbt_mview._post_publish_pending(outcome.spec),
            }
        ) -%}
        {{ return(outcome) }}
    {%- endif -%}
    {%- set relation = dbt_mview._relation_of(result.node) -%}
    {%- if dbt_mview._leaves_no_trace(relation, job) -%} {{ return(none) }}{%- endif -%}
    {%- set mview_id = dbt_mview._mview_id(relation) -%}
    {%- set job = job or dbt_mview._job_record(
        {
            "id": local_md5(invocation_id ~ mview_id),
            "state": dbt_mview._memory().states.get(mview_id),
            "started": dbt_mview._now_micros(),
        }
    ) -%}
    {%- set published = dbt_mview._undo(job, message) -%}
    {#- The run that took it over tells what became of it, which may be a success yet. -#}
    {%- if job.publish_sent and not published and not dbt_mview._holds_lock(mview_id, job) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- if published -%}
        {{
            return(
                dbt_mview._published_outcome(
                    job.spec,
                    job,
                    published,
                    failed_reason="published, but failed afterwards: " ~ message,
                )
            )
        }}
    {%- endif -%}
    {{
        return(
            dbt_mview._outcome(
                mview_id,
                job.id,
                invocation_id,
                job.token,
                "failed",
                job.method if job.publish else none,
                method=job.method or "complete",
                reason=dbt_mview._reason_of_job(job),
                failed_reason=message,
                started=job.started,
                sources=dbt_mview._named_sources(job.reads.tables if job.reads else none),
                release=not job.holder,
                seen=(job.state or {}).get("last_refresh_time"),
                refresh_group=job.spec.refresh_group if job.spec else none,
            )
        )
    }}
{% endmacro %}


{#
Failures that state must not hold: another run has the view and will write; the row is missing
and a new one would hide that; the name is none that a row could have; state is not there.

Args: relation (of the view), job (or none). Returns: bool.
#}
{% macro _leaves_no_trace(relation, job) %}
    {%- if job and job.refused or not dbt_mview._is_name_of_view(relation) -%}
        {{ return(true) }}
    {%- endif -%}
    {{ return(not dbt_mview._memory().ensured) }}
{% endmacro %}


{#
Removes what a failed refresh of this run left: its stage, its half rename chain. Its publish may
still be running although dbt got an error (a timeout, --fail-fast, a lost connection), and the lock
is about to be free. So it is fenced before its commit is searched. An error with an SQLSTATE, and
the one that a thrift server answers with, say that the statement has ended in the engine. Then
there is no fence: it would fail if the table cannot be written, and nothing could catch that.

Args: job, message (of the failure). Returns: the commit, if it was published nevertheless, else
    none.
#}
{% macro _undo(job, message="") %}
    {%- if not job.publish -%} {{ return(none) }}{%- endif -%}
    {%- if job.staged -%}
        {%- do dbt_mview._drop_stage("sweep", job.id, job, job.stage_is_complete) -%}
    {%- endif -%}
    {%- if job.publish == "swap" -%}
        {%- do dbt_mview._replay_rename_chain(
            job.spec, dbt_mview._intent(job.spec, job).swap, job
        ) -%}
    {%- endif -%}
    {%- set target = dbt_mview._target(job.spec, job.state) -%}
    {%- set published = dbt_mview._published(target, job.id) -%}
    {%- set answered = "\\bSQLSTATE\\b|HiveSQLException: Error running query" -%}
    {%- set ended = modules.re.search(answered, message) -%}
    {%- set may_go_on = (
        job.publish_sent and not ended and not published and target.kind == "delta"
    ) -%}
    {%- if may_go_on and dbt_mview._holds_lock(job.spec.mview_id, job) -%}
        {%- set fence = dbt_mview._try_sql(dbt_mview._fence_sql(job.spec, job)) -%}
        {%- do dbt_mview._run("fence", fence, job) -%}
        {%- set target = dbt_mview._target(job.spec, job.state) -%}
        {%- set published = dbt_mview._published(target, job.id) -%}
    {%- endif -%}
    {{ return(published) }}
{% endmacro %}
