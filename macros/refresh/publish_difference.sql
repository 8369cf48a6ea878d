{#
COMPLETE that publishes the difference: the query's result is compared with the view, and only rows
that differ are deleted and inserted, so that who follows the view does not see it overwritten.
#}
{#
Turns the publish of a COMPLETE refresh into one of the difference, where that is expected to pay.
The plan is that of a row delta: the rows of the result came, those of the view went, and what is
left of both is staged, merged, or nothing. Floats are compared as texts: 0.0 and -0.0 differ.

Args: spec, job (method, publish, columns, query, target). May set job.fast, job.publish,
    job.staged, job.invariants, job.undecided, job.bounds.
#}
{% macro _publish_difference(spec, job) %}
    {%- if job.method != "complete" or not dbt_mview._difference_pays(spec, job) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do job.update(
        {
            "publish": "merge",
            "staged": true,
            "invariants": false,
            "undecided": 0,
            "bounds": [],
            "fast": dbt_mview._delta_plan_record(
                {
                    "strategy": "row delta",
                    "keys": job.columns | map(attribute="name") | list,
                    "as_text": dbt_mview._compared_as_text(job.columns),
                    "terms": dbt_mview._difference_terms(spec, job, job.query),
                }
            ),
        }
    ) -%}
{% endmacro %}


{#
Whether to compare: somebody follows the view, few rows are expected to differ, and the view is
whole. What failed last, was asked for as COMPLETE or is restored is built anew, which also mends a
view whose files cannot be read.

Args: spec, job. Returns: bool.
#}
{% macro _difference_pays(spec, job) %}
    {%- set state = job.state or {} -%}
    {%- set not_expected = (
        job.publish != "insert"
        or spec.asked
        or job.reason.code == "restored"
        or spec.audit
        or job.waits
        or dbt_mview._is_partial_run()
        or dbt_mview._has_no_baseline(job)
        or state.get("last_refresh_result") == "failed"
    ) -%}
    {%- if not_expected or not dbt_mview._differ_by_rows(spec, job) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- if "large_part" in (job.not_fast or {"also": []}).also -%} {{ return(false) }}{%- endif -%}
    {%- if not dbt_mview._is_followed(spec.mview_id) -%} {{ return(false) }}{%- endif -%}
    {%- set last = ((spec.stored or {}).get("took") or {"last": []}).last -%}
    {%- for method, rows, seconds in last if method == "difference" -%}
        {#- What was much the last time is so again; once it is forgotten, it is tried again. -#}
        {%- set all = dbt_mview._rows_at(spec.mview_id, job.target.history[0].version) -%}
        {{ return(rows * 10 <= all) }}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{#
Whether rows of the view can be told apart and found again, and mean what they meant: not maps,
variants, collations and floats within other types; not where on_schema_change keeps a column as it
was, or Delta does not keep a partition's value; not after a change of the time zone or of what rows
have to satisfy.

Args: spec, job (columns, reason). Returns: bool.
#}
{% macro _differ_by_rows(spec, job) %}
    {%- set other = ["TIME_ZONE_CHANGED", "configuration_changed"] -%}
    {%- if job.reason.code in other and "by_alter" not in job.reason.also -%}
        {{ return(false) }}
    {%- endif -%}
    {%- for column in job.columns -%}
        {%- if column.expression | lower != dbt_mview._quote(column.name) | lower -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set lossy = dbt_mview._lossy_partition_columns(spec, job.columns) -%}
    {{ return(dbt_mview._consolidation_keys(job.columns) is not none and not lossy) }}
{% endmacro %}
