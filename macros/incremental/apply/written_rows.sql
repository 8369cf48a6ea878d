{#
The rows that a FAST publish writes, and the audits of single rows that it asserts on them: in its
own text, so that nothing is published if one of them is not met.
#}
{#
Args: spec, job (fast, columns, staged, publish). Returns: SQL text, a query of the view's columns.
#}
{% macro _written_rows_sql(spec, job) -%}
    {%- if job.publish == "append" -%}
select {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }}
from (
{{ dbt_mview._delta_terms_sql(job.fast.terms, job.columns) }}
)
    {%- else -%}
select {{ dbt_mview._select_list(dbt_mview._without_lengths(job.columns)) }}
from (
{{ dbt_mview._merge_source_sql(spec, job) }}
)
where _mview_op in ('insert', 'put')
    {%- endif -%}
{%- endmacro %}


{#
How many of these rows do not meet each condition of `audit`.

Args: spec (audit), job. Returns: SQL text, one row with one count for each.
#}
{% macro _unmet_rows_sql(spec, job) -%}
    {%- set counts = [] -%}
    {%- for condition in spec.audit -%}
        {%- do counts.append(
            "count_if(not coalesce((\n" ~ condition ~ "\n    ), false)) as audit_" ~ loop.index
        ) -%}
    {%- endfor -%}
select
    {{ counts | join(",\n    ") }}
from (
{{ dbt_mview._written_rows_sql(spec, job) }}
)
{%- endmacro %}


{#
A value of a row that the publish writes, or an error if the row does not meet an audit. The first
branch is never taken: with it the optimizer takes the value for one that may not be moved. Below a
join of the view's query it would be computed of rows that are not written.

Args: spec, job (asserted: conditions), rows (SQL text, which rows are written), value (SQL text).
Returns: SQL text, an expression.
#}
{% macro _asserted_value_sql(spec, job, rows, value) -%}
    {%- if not job.asserted -%} {{ return(value) }}{%- endif -%}
case
    when spark_partition_id() < 0 then null
    {%- for condition in job.asserted %}
    {%- set told = dbt_mview._audit_failed([condition ~ " (not met)"]) -%}
    {%- set text = "dbt_mview: " ~ spec.mview_id ~ ": " ~ told.rule ~ " " ~ told.way_out %}
    when {{ rows }} and not coalesce((
{{ condition }}
    ), false) then raise_error({{ dbt_mview._literal(text) }})
    {%- endfor %}
    else {{ value }}
end
{%- endmacro %}


{# What people read of audits. Args: broken (list of texts). Returns: mapping rule, way_out. #}
{% macro _audit_failed(broken) %}
    {%- set kept = "Nothing was published, the view keeps its last result." -%}
    {{ return({"rule": "audit failed: " ~ broken | join("; ") ~ ".", "way_out": kept}) }}
{% endmacro %}
