{#
Step inspect_log: what the log holds, and whether a capture can go on from there (else: the gap).
#}
{#
Step inspect_log: what the log holds, and whether a capture can go on from there.

Args: spec, job. Sets job.gap, job.coverage, job.change, job.added, job.comment.
Errors: the name is taken by something that is no log.
#}
{% macro _inspect_log(spec, job) %}
    {%- set kind = dbt_mview._kind_of(spec.schema, spec.identifier, spec.database) -%}
    {%- if kind == "missing" -%}
        {%- do job.update({"gap": "first capture", "coverage": none}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set coverage = (
        dbt_mview._coverage(spec.name)
        if kind == "delta"
        else dbt_mview._coverage_record({})
    ) -%}
    {%- if not coverage.base -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            "a "
            ~ (kind if kind == "view" else kind ~ " table")
            ~ " of this name exists and is no materialized view log.",
            "Drop or rename it, or give the log another alias.",
        ) -%}
    {%- endif -%}
    {#- Another capture was quicker, and knows a version that was not there at the look. -#}
    {%- set ahead = coverage.base == spec.base and coverage.captured.version > job.now.version -%}
    {%- if ahead -%} {%- do dbt_mview._inspect_base(spec, job) -%} {%- endif -%}
    {%- do job.update({"coverage": coverage, "gap": dbt_mview._gap(spec, job, coverage)}) -%}
    {#- Only a comment that the model sets is compared with the one that is there. -#}
    {%- if spec.description is not none -%}
        {%- do job.update({"comment": dbt_mview._delta_detail(spec.name)["description"]}) -%}
    {%- endif -%}
{% endmacro %}


{#
Why the log cannot go on from what it captured, because changes would be missing in between. It is
then started again at the base's present version, and views that have not read so far are COMPLETE.

Args: spec, job, coverage. Sets job.change, job.added.
Returns: string, as the log keeps it, or none.
#}
{% macro _gap(spec, job, coverage) %}
    {%- if spec.full_refresh -%} {{ return("full refresh") }}
    {%- elif coverage.base != spec.base -%}
        {{ return("SOURCE_REPLACED: the log was one of " ~ coverage.base) }}
    {%- elif coverage.changed -%} {{ return("LOG_CHANGED: " ~ coverage.changed) }}
    {%- elif not job.feed_is_on -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: the base's change data feed was off") }}
    {%- endif -%}
    {%- set change = dbt_mview._change_record({"relation": spec.base}) -%}
    {%- set was, now = coverage.captured, job.now -%}
    {%- if not dbt_mview._same_commit(now, was) -%}
        {%- set change = dbt_mview._feed_change(spec.base, was, now) -%}
    {%- endif -%}
    {%- do job.update({"change": change}) -%}
    {%- set reason = change.reason -%}
    {%- if not reason and change.end is not none -%}
        {%- set reason = dbt_mview._why_repartitioned(change) -%}
    {%- endif -%}
    {%- if reason -%} {{ return(dbt_mview._reason_text(reason)) }}{%- endif -%}
    {{ return(dbt_mview._columns_gap(spec, job)) }}
{% endmacro %}


{#
A column that came to the base after the last capture is NULL in all older rows, and comes to the
log; any other difference between log and body is a gap.

Args: spec, job (columns, change). Sets job.added. Returns: string, as the log keeps it, or none.
#}
{% macro _columns_gap(spec, job) %}
    {%- set logged = {} -%}
    {%- for column in dbt_mview._logged_columns(spec.name) -%}
        {%- do logged.update({column.name | lower: column.type}) -%}
    {%- endfor -%}
    {%- set added = [] -%}
    {%- set changed = [] -%}
    {%- for column in job.columns -%}
        {%- set type = logged.pop(column.name | lower, none) -%}
        {%- if type is none -%} {%- do added.append(column) -%}
        {%- elif type != column.type -%} {%- do changed.append(column.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do changed.extend(logged.keys()) -%}
    {%- for column in added if column.name | lower not in job.change.new_columns -%}
        {%- do changed.append(column.name) -%}
    {%- endfor -%}
    {%- do job.update({"added": added}) -%}
    {%- if changed -%} {{ return("SCHEMA_CHANGED: " ~ changed | join(", ")) }}{%- endif -%}
    {{ return(none) }}
{% endmacro %}
