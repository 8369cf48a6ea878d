{#
Step stage: builds the result aside, where audits can look at it before any reader does. Only
where the plan asks for it; without audits the publishing commit builds the result itself.

Args: spec, job.
#}
{% macro _stage(spec, job) %}
    {%- if job.staged -%}
        {%- do dbt_mview._run("stage", dbt_mview._stage_sql(job), job) -%}
    {%- endif -%}
{% endmacro %}


{# Args: job (columns, query, id). Returns: SQL text. #}
{% macro _stage_sql(job) %}
create or replace table {{ dbt_mview._stage_name(job.id) }}
using delta
as
select {{ dbt_mview._select_list(job.columns) }}
from (
    {{ job.query }}
)
{%- endmacro %}


{# Args: columns (list of name, expression). Returns: SQL text. #}
{% macro _select_list(columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set quoted = dbt_mview._quote(column.name) -%}
        {%- do items.append(
            quoted
            if column.expression == quoted
            else column.expression ~ " as " ~ quoted
        ) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}
