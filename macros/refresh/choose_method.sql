{# FAST or COMPLETE: the decision, and the error of `refresh: fast`. #}
{#
Whether this refresh can be FAST, and how; after sources are pinned and columns compared.

Args: spec, job (columns, publish). Sets job.method, job.publish, job.fast (delta plan, or none),
    job.changes, job.asserted, job.invariants, job.staged (bool), job.undecided and job.bounds (0
    and empty; see _inspect_stage for what it finds), and job.followed or job.not_fast.
Errors: refresh is 'fast' and the view must be refreshed in full, with the reason.
#}
{% macro _choose_method(spec, job) %}
    {%- if spec.refresh == "complete" or dbt_mview._is_partial_run() -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set first = dbt_mview._has_no_baseline(job) -%}
    {%- set asked = spec.full_refresh or spec.asked -%}
    {%- if asked or (first and spec.refresh == "auto") -%} {{ return(none) }}{%- endif -%}
    {%- if spec.refresh == "auto" and dbt_mview._fast_failed_twice(job.state) -%}
        {%- set twice = dbt_mview._reason("FAST_FAILED", "twice in a row") -%}
        {%- set found = dbt_mview._no_delta_plan(twice) -%}
    {%- else -%} {%- set found = dbt_mview._delta_plan(spec, job, first) -%}
    {%- endif -%}
    {%- do job.update({"changes": found.changes}) -%}
    {%- set why_not = found.reason -%}
    {%- if why_not and spec.refresh == "fast" and not job.explain_only -%}
        {%- do dbt_mview._raise_not_fast(spec, job, why_not) -%}
    {%- elif why_not -%}
        {%- if why_not.code not in [job.reason.code] + job.reason.also -%}
            {%- do job.update({"not_fast": why_not}) -%}
        {%- endif -%}
    {%- elif not first -%}
        {%- set rows = found.changes | map(attribute="rows") | select("none") | list -%}
        {%- set total = found.changes | sum(attribute="rows") if not rows else "all" -%}
        {%- set insert_only = (
            found.strategy == "row delta"
            and not dbt_mview._may_rows_go(found, found.changes)
            and not spec.unique_key
            and not job.waits
        ) -%}
        {%- set nothing = found.strategy == "nothing" -%}
        {%- set unstaged = (
            nothing or insert_only or dbt_mview._merges_without_stage(spec, job, found)
        ) -%}
        {%- set compared = dbt_mview._way_of(found.changes) == "compared" -%}
        {%- set way = dbt_mview._strategy_name(found) -%}
        {%- set way = way ~ (", compared versions" if compared else "") -%}
        {%- set way = way ~ (", another time" if found.dated else "") -%}
        {%- set what = "no" if nothing else way ~ ", " ~ total -%}
        {%- do job.update(
            {
                "fast": found,
                "asserted": [] if job.waits else spec.audit,
                "invariants": not job.waits,
                "method": "fast",
                "publish": (
                    "nothing" if nothing else ("append" if insert_only else "merge")
                ),
                "staged": not unstaged,
                "undecided": 0,
                "bounds": [],
                "followed": what,
            }
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Whether there is no result that FAST could go on from, so that even refresh: fast is a first build:
the view is new or was dropped; mview_recover restored its row, without what it was built with; or
it was built from no more than --empty or --sample let through.

Args: job (state, target). Returns: bool.
#}
{% macro _has_no_baseline(job) %}
    {%- set state = job.state -%}
    {%- if state is none or state.last_successful_refresh_read_time is none -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set built = state.spec -%}
    {{ return(not built or "cut_short" in built or job.target.kind == "missing") }}
{% endmacro %}


{#
Whether not to try FAST once more: an error that no script can catch, as one in reading the changes,
would come again with every refresh. How far a dead run got, and whether it was FAST, is not known.
A refresh that failed before its plan was not FAST, and a member of a group that waited for another
did not fail.

Args: state (row, or none). Returns: bool.
#}
{% macro _fast_failed_twice(state) %}
    {%- if state is none or state.last_refresh_result != "failed" -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set why = dbt_mview._failed_code(state.last_refresh_failed_reason) -%}
    {%- set unknown = state.last_refresh_type is none -%}
    {%- set died = unknown and why in ["not_finished", "taken_over"] -%}
    {%- set was_fast = state.last_refresh_type == "fast" and why != "group_not_published" -%}
    {{ return((died or was_fast) and (state.failures or 0) >= 2) }}
{% endmacro %}


{#
The error of `refresh: fast`. A run-operation has no end hook that would record it and give the lock
back, so that is done first.

Args: spec, job, reason (see _reason).
#}
{% macro _raise_not_fast(spec, job, reason) %}
    {%- set why = dbt_mview._reason_text(reason) -%}
    {%- set rule = "refresh is 'fast' and this refresh cannot be: " ~ why ~ "." -%}
    {%- if job.record_now and job.token and not job.dry_run -%}
        {%- if job.staged -%} {%- do dbt_mview._drop_stage("sweep", job.id, job) -%} {%- endif -%}
        {%- set outcome = dbt_mview._outcome(
            spec.mview_id,
            job.id,
            job.owner,
            job.token,
            "failed",
            "fast",
            reason=dbt_mview._reason_of_job(job),
            failed_reason=rule,
            started=job.started,
            release=not job.holder,
            refresh_group=spec.refresh_group,
        ) -%}
        {%- do dbt_mview._write_outcomes([outcome], job) -%}
    {%- endif -%}
    {%- do dbt_mview._raise(spec.mview_id, rule, dbt_mview._way_out_of_fast(reason)) -%}
{% endmacro %}
