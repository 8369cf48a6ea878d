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
