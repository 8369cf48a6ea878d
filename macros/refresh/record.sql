{#
Step record: the success, or the skip, as an outcome for on-run-end, and what is pending after a
publish (grants, comments, post_hook).
#}
{#
Step record: notes the success. Within `dbt run` the notes of all views are written together by
on-run-end; until then the publishing commit itself is the record, from which any other run rolls
forward. A run-operation writes its note at once. The last step, because it frees the lock and
forgets the intent: whatever fails before can still be made good from them.

Args: spec, job.
#}
{% macro _record(spec, job) %}
    {%- do dbt_mview._queue_outcome(job, dbt_mview._published_outcome(spec, job, job.commit)) -%}
{% endmacro %}


{#
The end of a refresh that was published. Its plan does not move if something failed afterwards,
which may have been the plan's own expression: what is still due is checked again.

Args: spec, job, commit (of the publish), failed_reason (string or none, what failed after it).
Returns: mapping, see _outcome.
#}
{% macro _published_outcome(spec, job, commit, failed_reason=none) %}
    {#- An operation knows neither grants nor comments of columns, which a new table needs. -#}
    {%- set bare = job.record_now and job.publish in ["create", "replace", "swap"] -%}
    {%- set undone = failed_reason or bare -%}
    {%- set stored = dbt_mview._with_durations(spec, job) -%}
    {{
        return(
            dbt_mview._outcome(
                spec.mview_id,
                job.id,
                job.owner,
                job.token,
                "success",
                none if job.deferred else job.method,
                method=job.method,
                reason=dbt_mview._reason_of_job(job),
                started=job.started,
                ended=job.ended,
                rows=commit.rows,
                sources=job.sources,
                read_time=none if job.deferred else job.read_time,
                target_version=commit.version,
                definition=spec.definition,
                definition_hash=job.definition_hash,
                spec=dbt_mview._post_publish_pending(stored) if undone else stored,
                failed_reason=failed_reason,
                refresh_group=spec.refresh_group,
                plan=none if failed_reason else dbt_mview._plan_after(spec, job),
            )
        )
    }}
{% endmacro %}


{# What becomes of its plan. Args: spec, job. Returns: see _reschedule. #}
{% macro _plan_after(spec, job) %}
    {%- set together = dbt_mview._refreshed_together(spec, job.state) -%}
    {{ return(dbt_mview._reschedule(spec, job, together)) }}
{% endmacro %}


{#
Notes that there was nothing to do. If there was, and it is left alone (`continue`), the failure of
the last refresh stays. What is left to another run is not noted: that one will be.

Args: spec, job.
#}
{% macro _record_skip(spec, job) %}
    {%- do dbt_mview._keep_text("-- SKIP " ~ job.skip, job) -%}
    {%- set state = job.state or {} -%}
    {%- set stands = job.reason and state.get("last_refresh_result") == "failed" -%}
    {%- if not job.dry_run and (job.left_to_other or not stands) -%}
        {%- set outcome = dbt_mview._outcome(
            spec.mview_id,
            job.id,
            job.owner,
            none,
            "success",
            "skip",
            reason=job.skip,
            spec=dbt_mview._settings(spec, job),
            plan=none if job.left_to_other else dbt_mview._plan_after(spec, job),
            seen=state.get("last_refresh_time"),
        ) -%}
        {%- set scheduled = spec.schedule is not none -%}
        {%- set news = scheduled or dbt_mview._is_news(outcome, state) -%}
        {%- do outcome.update({"noted": news and not job.left_to_other}) -%}
        {%- do dbt_mview._queue_outcome(job, outcome) -%}
    {%- endif -%}
{% endmacro %}


{#
Whether state is told of a skip. A commit of it costs more than the look that found nothing new, and
the next run would have to read the state anew; so what it says already is written once an hour.
A scheduler sees by the row that its run was done; so _record_skip always tells it of views with a
schedule, which this does not look at.

Args: outcome (of a skip), state (the row of the view, or an empty mapping). Returns: bool.
#}
{% macro _is_news(outcome, state) %}
    {%- set last = state.get("last_refresh_time") -%}
    {%- set hour = 3600 * 1000000 -%}
    {%- set is_old = last is none or dbt_mview._now_micros() - last >= hour -%}
    {%- set failures = state.get("failures") or 0 -%}
    {%- set failed = state.get("last_refresh_result") != "success" or failures > 0 -%}
    {{ return(is_old or failed or outcome.spec is not none or outcome.plan is not none) }}
{% endmacro %}


{#
What a skip notes of a view that was given other settings than state knows, which its rows do not
depend on: comments, grants, how it is refreshed. Where a layout is left alone, so is all else that
its rows have to satisfy: nothing of it has been done.

Args: spec, job (state). Returns: mapping (the spec for state), or none if nothing is to be noted.
#}
{% macro _settings(spec, job) %}
    {%- set was = job.state.spec if job.state and not job.left_to_other else none -%}
    {%- if not was or not spec.stored -%} {{ return(none) }}{%- endif -%}
    {%- set stored = dict(spec.stored, layout=was.layout) -%}
    {%- set of_rows = [
        "audit",
        "unique_key",
        "on_schema_change",
        "time_zone",
        "took",
        "today",
        "cut_short",
    ] -%}
    {%- for key in of_rows if job.reason or dbt_mview._held_at(spec, job.state) -%}
        {%- do stored.pop(key, none) -%}
        {%- if key in was -%} {%- do stored.update({key: was[key]}) -%} {%- endif -%}
    {%- endfor -%}
    {%- set let_go = "held" in was and not spec.from_model -%}
    {%- if "held" in was and not let_go -%}
        {%- do stored.update({"held": was.held}) -%}
    {%- endif -%}
    {%- set pending = dbt_mview._is_post_publish_pending(job) -%}
    {%- set changed = pending or let_go or dbt_mview._changed_keys(was, stored) -%}
    {{ return(stored if changed else none) }}
{% endmacro %}


{# Keeps an outcome for on-run-end, or writes it now. Args: job, outcome (mapping). #}
{% macro _queue_outcome(job, outcome) %}
    {%- if job.record_now -%} {%- do dbt_mview._write_outcomes([outcome], job) -%}
    {%- else -%} {%- do dbt_mview._memory().outcomes.update({job.unique_id: outcome}) -%}
    {%- endif -%}
{% endmacro %}


{#
A spec for state that says: what comes after a publish (grants, comments, post_hook) failed, or may
have: the run died, or it was an operation, which has no model. The next run of the model does it.

Args: stored (the spec, or none). Returns: mapping, or none.
#}
{% macro _post_publish_pending(stored) %}
    {{ return(dict(stored, unfinished=true) if stored else none) }}
{% endmacro %}


{# Whether state says so. Args: job (state). Returns: bool. #}
{% macro _is_post_publish_pending(job) %}
    {%- set pending = ((job.state or {}).get("spec") or {}).get("unfinished", false) -%}
    {{ return(pending and not job.left_to_other) }}
{% endmacro %}
