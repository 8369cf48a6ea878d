{# Step recover: what earlier holders left is recorded where it was published, else undone. #}
{#
Step recover: ends what the previous holder of the lock left behind. A holder whose lease ran
out may still be alive, so it is fenced first. Then its commit is searched in the view's history. If
it is there, it is recorded (roll forward); if not, it is undone and marked failed (roll back), or
published now if its refresh group was decided.

Args: spec, job (holder: job_id, owner, intent, published; token: the new lock).
#}
{% macro _recover(spec, job) %}
    {%- if not job.holder or job.skip -%} {{ return(none) }}{%- endif -%}
    {%- set predecessors = dbt_mview._predecessors(job.holder) -%}
    {%- for holder in predecessors if holder.intent and holder.intent.get("swap") -%}
        {%- do dbt_mview._replay_rename_chain(spec, holder.intent.swap, job) -%}
    {%- endfor -%}
    {%- if not job.holder.published -%}
        {%- do job.update({"target": dbt_mview._target(spec, job.state)}) -%}
        {%- do dbt_mview._fence(spec, job) -%}
        {%- do job.update({"target": dbt_mview._target(spec, job.state)}) -%}
    {%- endif -%}
    {%- for holder in predecessors -%}
        {%- set redone = dbt_mview._publish_decided(spec, job, holder) -%}
        {%- set published = dbt_mview._published(job.target, holder.job_id) -%}
        {%- do dbt_mview._drop_stage("recover", holder.job_id, job, published is not none) -%}
        {%- set outcome = dbt_mview._recovered_outcome(spec, job, holder, published) -%}
        {%- do outcome.update(
            {
                "release": job.release_after_recover and loop.last,
                "charge": outcome.charge
                and (
                    published is not none or not dbt_mview._is_charged(spec, job, holder)
                ),
            }
        ) -%}
        {%- do dbt_mview._write_outcomes([outcome], job) -%}
        {%- if not job.dry_run -%}
            {%- do log(
                "dbt_mview: "
                ~ spec.mview_id
                ~ ": "
                ~ (
                    (
                        "published and recorded the refresh that run "
                        if redone
                        else "recorded the refresh that run "
                    )
                    ~ holder.owner
                    ~ (" had decided to publish" if redone else " had published")
                    if published
                    else "undid the unfinished refresh of run " ~ holder.owner
                ),
                info=true,
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not job.dry_run and spec.definition -%}
        {%- do dbt_mview._inspect_after_recovery(spec, job) -%}
    {%- endif -%}
{% endmacro %}


{#
What a recovery recorded may be all that was to do: then the lock goes back and nothing is
refreshed a second time.
#}
{% macro _inspect_after_recovery(spec, job) %}
    {%- do job.update({"state": dbt_mview._read_state(spec.mview_id), "holder": none}) -%}
    {#- What the other run has recorded may be as of a later time than what was read before it. -#}
    {%- if job.date_change -%}
        {%- set bound = dbt_mview._bindings(spec.definition, job.reads, spec.namespace) -%}
        {%- set today = spec.stored.get("today") -%}
        {%- set date_change = dbt_mview._date_change(spec, today, job.state, bound) -%}
        {%- do job.update({"date_change": date_change}) -%}
    {%- endif -%}
    {%- do dbt_mview._check_not_behind(spec, job) -%}
    {%- set why = dbt_mview._why_refresh(spec, job) -%}
    {%- set skip = none if why else dbt_mview._skip_reason(spec, job) -%}
    {%- do job.update({"reason": why, "skip": skip}) -%}
    {%- if job.skip -%} {%- do dbt_mview._release(spec.mview_id, job) -%} {%- endif -%}
{% endmacro %}


{#
The end of another run's refresh, as its own commit says. The lock stays ours.

Args: spec, job (unfinished_reason, counts_as_failure), holder, published (its commit, or none).
Returns: mapping, see _outcome.
#}
{% macro _recovered_outcome(spec, job, holder, published) %}
    {%- set intent = holder.intent or {} -%}
    {%- set outcome = dbt_mview._outcome(
        spec.mview_id,
        holder.job_id,
        job.owner,
        job.token,
        "success" if published else "failed",
        published.meta.method if published else none,
        invocation_id=holder.owner,
        started=holder.lock_time,
        refresh_group=(intent.get("spec") or {}).get("refresh_group"),
    ) -%}
    {%- if published -%}
        {%- set meta = published.meta -%}
        {%- do outcome.update(
            {
                "reason": meta.reason,
                "started": meta.started,
                "rows": published.rows,
                "sources": meta.sources,
                "read_time": meta.read_time,
                "target_version": published.version,
                "definition": intent.get("definition"),
                "definition_hash": meta.definition_hash,
                "spec": dbt_mview._post_publish_pending(intent.get("spec")),
                "plan": dbt_mview._reschedule_recovered(job.state, holder, published),
            }
        ) -%}
    {%- else -%}
        {%- do outcome.update(
            {
                "method": "complete",
                "sources": dbt_mview._named_sources(intent.get("reads")),
                "failed_reason": (
                    dbt_mview._failed_reason("not_finished", job.unfinished_reason)
                    if job.unfinished_reason
                    else dbt_mview._failed_reason("taken_over", job.owner)
                ),
                "charge": job.counts_as_failure and not dbt_mview._is_operation(holder),
            }
        ) -%}
    {%- endif -%}
    {{ return(outcome) }}
{% endmacro %}


{#
Whether the failure of a holder counts already: somebody has recorded it and then died with the
lock, so that it is recovered once more. Nothing else moves the time of the row while a lock is
held; history, which is written before the row, says for whom it has moved.

Args: spec, job (state: the row when the lock was taken), holder. Returns: bool.
#}
{% macro _is_charged(spec, job, holder) %}
    {%- set moved = job.state.last_refresh_time or 0 -%}
    {%- if moved < (holder.get("lock_time") or 0) -%} {{ return(false) }}{%- endif -%}
    {%- set noted = dbt_mview._recorded_refreshes([spec.mview_id], {"job": holder.job_id}) -%}
    {{ return(holder.job_id in noted and noted[holder.job_id] <= moved) }}
{% endmacro %}


{#
Fails what an older holder has in flight: Delta refuses a statement whose table got other
metadata while it ran. What such a holder sends later fails on its own guard, see _guard_sql. Not
done by an empty INSERT with a newer txnVersion: Delta records no commit without rows
(docs/decisions).
#}
{% macro _fence(spec, job) %}
    {%- if job.target.kind != "delta" -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._run("fence", dbt_mview._fence_sql(spec, job), job) -%}
{% endmacro %}


{# Args: spec, job (token). Returns: SQL text. #}
{% macro _fence_sql(spec, job) -%}
alter table {{ spec.name }} set tblproperties ('dbt_mview.fence' = '{{ job.token }}')
{%- endmacro %}
