{#
The rows that a FAST publish takes away (_mview_op 'delete', by their keys) and those that it puts
in ('insert').

Args: spec, job. Returns: SQL text, a query.
#}
{% macro _merge_source_sql(spec, job) %}
    {%- if job.fast.strategy == "append" -%}
        {{ return(dbt_mview._merge_rows_sql(spec, job)) }}
    {%- endif -%}
    {%- set parts = [dbt_mview._lost_groups_sql(spec, job)] -%}
    {%- if job.fast.strategy == "aggregate" -%}
        {%- do parts.append(dbt_mview._added_up_sql(spec, job)) -%}
    {%- endif -%}
    {%- if job.fast.strategy == "keyed" or job.doubts > 0 -%}
        {%- do parts.append(dbt_mview._again_sql(spec, job)) -%}
    {%- endif -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}


{# Every touched group goes. #}
{% macro _lost_groups_sql(spec, job) -%}
    {%- set items = [] -%}
    {%- for column in job.columns -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set key = column.name in job.fast["keys"] -%}
        {%- do items.append(
            name if key else "cast(null as " ~ column.type ~ ") as " ~ name
        ) -%}
    {%- endfor -%}
select {{ items | join(", ") }}, 'delete' as _mview_op
from {{ dbt_mview._stage_name(job.id) }}
{%- endmacro %}


{# The groups whose values the staged changes decide. #}
{% macro _added_up_sql(spec, job) -%}
select {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }}, 'insert'
from (
{{ dbt_mview._combined_sql(spec, job) }}
)
where _mview_alive and not _mview_doubt
{%- endmacro %}


{# The groups or partitions that are computed again, from the new versions of the sources. #}
{% macro _again_sql(spec, job) -%}
    {%- set added_up = job.fast.strategy == "aggregate" -%}
select {{ dbt_mview._prefixed("q", job.columns | map(attribute="name") | list) }}, 'insert'
from (
{{ job.query }}
) as q
where {{ dbt_mview._bounds_sql("q", job.bounds) }}
    and exists (
        select 1
        from {{ "(\n" ~ dbt_mview._combined_sql(spec, job) ~ "\n)" if added_up
            else dbt_mview._stage_name(job.id) }} as a
        where {{ dbt_mview._same_keys("a", "q", job.fast["keys"]) }}
            {{- " and a._mview_doubt" if added_up }}
    )
{%- endmacro %}
