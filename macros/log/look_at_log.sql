{#
Step look_at_log: what the log holds, and whether a capture can go on from there.

Args: spec, job (see _look_at_base). Sets job.gap (why the log begins anew, or none), job.coverage,
    job.change (see _source_changes), job.added (columns that are new in the base).
Errors: the name is taken by something that is no log.
#}
{% macro _look_at_log(spec, job) %}
    {%- set kind = dbt_mview._kind_of(spec.schema, spec.identifier, spec.database) -%}
    {%- if kind == "missing" -%}
        {%- do job.update({"gap": "first capture", "coverage": none}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set coverage = dbt_mview._coverage(spec.name) if kind == "delta" else {"base": none} -%}
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
    {%- if ahead -%} {%- do dbt_mview._look_at_base(spec, job) -%} {%- endif -%}
    {%- do job.update({"coverage": coverage, "gap": dbt_mview._gap(spec, job, coverage)}) -%}
    {#- Only a comment that the model sets is compared with the one that is there. -#}
    {%- if spec.description is not none -%}
        {%- do job.state.spec.update(
            {"description": dbt_mview._delta_detail(spec.name)["description"]}
        ) -%}
    {%- endif -%}
{% endmacro %}
