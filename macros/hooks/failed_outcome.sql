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
        {%- set in_vain = (
            "refresh_group '"
            ~ job.spec.refresh_group
            ~ "' "
            ~ dbt_mview._waited_in_vain()
        ) -%}
        {%- set message = job.get("failure") or in_vain -%}
    {%- endif -%}
    {%- if outcome -%}
        {%- set skipped = outcome.get("type") == "skip" -%}
        {%- set done = "nothing was to be refreshed" if skipped else "published" -%}
        {%- do outcome.update(
            {
                "failed_reason": done ~ ", but failed afterwards: " ~ message,
                "spec": dbt_mview._post_publish_pending(outcome.spec),
            }
        ) -%}
        {{ return(outcome) }}
    {%- endif -%}
    {%- set mview_id = dbt_mview._mview_id(dbt_mview._relation_of(result.node)) -%}
    {%- if dbt_mview._leaves_no_trace(mview_id, message) -%} {{ return(none) }}{%- endif -%}
    {%- set job = job or {
        "id": local_md5(invocation_id ~ mview_id),
        "token": none,
        "state": dbt_mview._memory().states.get(mview_id),
        "started": dbt_mview._now_micros(),
    } -%}
    {%- set published = dbt_mview._undo(job, message) -%}
    {#- The run that took it over records the outcome, which may still be a success. -#}
    {%- if job.get("sent") and not published and not dbt_mview._holds_lock(mview_id, job) -%}
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
                job.get("method") if job.get("publish") else none,
                method=job.get("method") or "complete",
                reason=job.get("reason"),
                failed_reason=message,
                started=job.started,
                sources=dbt_mview._named_sources((job.get("reads") or {}).get("tables")),
                release=not job.get("holder"),
                seen=(job.get("state") or {}).get("last_refresh_time"),
                refresh_group=(job.get("spec") or {}).get("refresh_group"),
            )
        )
    }}
{% endmacro %}


{#
Failures that state must not hold: another run has the view and will write; the row is missing
and a new one would hide that; the name is none that a row could have; state is not there.

Args: mview_id, message (strings). Returns: bool.
#}
{% macro _leaves_no_trace(mview_id, message) %}
    {%- set refused = [
        "is refreshing " ~ mview_id,
        "refresh info row missing for " ~ mview_id,
        "cannot be the name of a view",
    ] -%}
    {%- for words in refused if words in message -%} {{ return(true) }}{%- endfor -%}
    {{ return(not dbt_mview._memory().get("ensured")) }}
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
    {%- if not job.get("publish") -%} {{ return(none) }}{%- endif -%}
    {%- if job.get("staged") -%}
        {%- do dbt_mview._drop_stage("sweep", job.id, job, job.get("stage_is_whole")) -%}
    {%- endif -%}
    {%- if job.get("publish") == "swap" -%}
        {%- do dbt_mview._replay_rename_chain(
            job.spec, dbt_mview._intent(job.spec, job).swap, job
        ) -%}
    {%- endif -%}
    {%- set target = dbt_mview._target(job.spec, job.state) -%}
    {%- set published = dbt_mview._published(target, job.id) -%}
    {%- set answered = "\\bSQLSTATE\\b|HiveSQLException: Error running query" -%}
    {%- set ended = modules.re.search(answered, message) -%}
    {%- set unsure = job.get("sent") and not ended and not published and target.kind == "delta" -%}
    {%- if unsure and dbt_mview._holds_lock(job.spec.mview_id, job) -%}
        {%- set fence = dbt_mview._try_sql(dbt_mview._fence_sql(job.spec, job)) -%}
        {%- do dbt_mview._run("fence", fence, job) -%}
        {%- set target = dbt_mview._target(job.spec, job.state) -%}
        {%- set published = dbt_mview._published(target, job.id) -%}
    {%- endif -%}
    {{ return(published) }}
{% endmacro %}
