{# Step audit: conditions and unique_key, checked on the stage. #}
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


{#
How often each condition of `audit` is not met by the staged result, and how many keys occur more
than once. A condition is an expression over the columns, or over aggregates of them.

Args: spec (audit, unique_key), job. Returns: SQL text, one row with one count per condition.
#}
{% macro _audit_sql(spec, job) -%}
    {%- set counts = [] -%}
    {%- for condition in spec.audit -%}
        {%- set count = dbt_mview._count_unmet_sql(condition, job) -%}
        {%- do counts.append(count ~ " as audit_" ~ loop.index) -%}
    {%- endfor -%}
    {%- if spec.unique_key -%}
        {%- do counts.append(dbt_mview._count_repeated_sql(spec, job) ~ " as unique_key") -%}
    {%- endif -%}
select
    {{ counts | join(",\n    ") }}
{%- endmacro %}


{# Args: condition (SQL text, may end in a comment), job. Returns: SQL text, a subquery. #}
{% macro _count_unmet_sql(condition, job) -%}
(
        select count(*)
        from (
            select (
{{ condition }}
            ) as met
            from {{ dbt_mview._stage_name(job.id) }}
        )
        where not coalesce(met, false)
    )
{%- endmacro %}


{# Args: spec (unique_key), job. Returns: SQL text, a subquery. #}
{% macro _count_repeated_sql(spec, job) -%}
(
        select count(*)
        from (
            select 1
            from {{ dbt_mview._stage_name(job.id) }}
            group by {{ dbt_mview._quote_all(spec.unique_key) }}
            having count(*) > 1
        )
    )
{%- endmacro %}
