{#
Whether this refresh can be FAST, and how; after sources are pinned and columns compared.

Args: spec, job (columns, publish). Sets job.method, job.publish, job.fast (the shape, or none),
    job.changes, job.staged (bool; see _look_at_stage for job.doubts and job.bounds) and the reason.
Errors: refresh is 'fast' and the view must be refreshed in full, with the reason.
#}
{% macro _choose_method(spec, job) %}
    {%- if spec.refresh == "complete" or dbt_mview._is_cut_short() -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set first = dbt_mview._starts_anew(job) -%}
    {%- set asked = spec.full_refresh or spec.asked -%}
    {%- if asked or (first and spec.refresh == "auto") -%} {{ return(none) }}{%- endif -%}
    {%- if spec.refresh == "auto" and dbt_mview._fast_failed_twice(job.state) -%}
        {%- set found = {"reason": "FAST_FAILED: twice in a row"} -%}
    {%- else -%} {%- set found = dbt_mview._fast_shape(spec, job, first) -%}
    {%- endif -%}
    {%- do job.update({"changes": found.get("changes") or []}) -%}
    {%- if found.reason and spec.refresh == "fast" and not job.explained -%}
        {%- do dbt_mview._raise_not_fast(spec, job, found.reason) -%}
    {%- elif found.reason -%}
        {%- if found.reason.split(":")[0] not in job.reason -%}
            {%- do job.update({"reason": job.reason ~ "; not FAST: " ~ found.reason}) -%}
        {%- endif -%}
    {%- elif not first -%}
        {%- set rows = found.changes | map(attribute="rows") | select("none") | list -%}
        {%- set total = found.changes | sum(attribute="rows") if not rows else "all" -%}
        {%- set insert_only = (
            found.strategy == "append"
            and not found.changes | selectattr("deletes") | list
            and not spec.unique_key
            and not job.waits
        ) -%}
        {%- set nothing = found.strategy == "nothing" -%}
        {%- set unstaged = nothing or insert_only or dbt_mview._merges_at_once(spec, job, found) -%}
        {%- set what = "no" if nothing else found.strategy ~ ", " ~ total -%}
        {%- do job.update(
            {
                "fast": found,
                "method": "fast",
                "publish": (
                    "nothing" if nothing else ("append" if insert_only else "merge")
                ),
                "staged": not unstaged,
                "doubts": 0,
                "bounds": [],
                "reason": job.reason ~ " (" ~ what ~ " changed rows)",
            }
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Whether FAST is not to be tried once more: an error that no script can catch, as one in reading the
changes, would come again with every refresh. Nobody knows how far one got whose run died, nor
whether it was FAST; one that failed before there was a plan was not, nor did a member of a group
fail that waited for another.

Args: state (row, or none). Returns: bool.
#}
{% macro _fast_failed_twice(state) %}
    {%- if state is none or state.last_refresh_result != "failed" -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set why = state.last_refresh_failed_reason or "" -%}
    {%- set died = state.last_refresh_type is none and why.startswith(
        dbt_mview._not_finished()
    ) -%}
    {%- set waited = dbt_mview._waited_in_vain() in why -%}
    {%- set was_fast = state.last_refresh_type == "fast" and not waited -%}
    {{ return((died or was_fast) and (state.failures or 0) >= 2) }}
{% endmacro %}
