{#
Step audit: every condition of `audit` must be true for the staged result, and its `unique_key`
unique, before anything is published. A condition is a boolean expression over the columns,
checked for each row, or over aggregates of them; NULL counts as not met.

Args: spec, job. Errors: the conditions that were not met, with the number of rows.
#}
{% macro _audit(spec, job) %}
    {%- if not job.staged or job.dry_run or not (spec.audit or spec.unique_key) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set sql = (
        dbt_mview._audit_changes_sql(spec, job)
        if job.fast
        else dbt_mview._audit_sql(spec, job)
    ) -%}
    {%- set row = dbt_mview._read("audit", sql).rows[0] -%}
    {%- set broken = [] -%}
    {%- for condition in spec.audit -%}
        {%- set times = row[loop.index0] | int -%}
        {%- if times > 0 -%}
            {%- do broken.append(condition ~ " (not met " ~ times ~ " times)") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if spec.unique_key and row[spec.audit | length] | int > 0 -%}
        {%- do broken.append(
            "unique_key " ~ spec.unique_key
            | join(", ")
            ~ " ("
            ~ row[spec.audit | length]
            ~ " keys occur more than once)"
        ) -%}
    {%- endif -%}
    {%- if broken -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "audit failed: " ~ broken | join("; ") ~ ".",
            "Nothing was published, the view keeps its last result.",
        ) -%}
    {%- endif -%}
{% endmacro %}
