{#
Compares a query with a table as multisets, both ways. Maps are compared as text, because Spark
does not compare them.

Args: query (SQL text), columns (of the query, as they are fed), table (SQL text), present (its
    columns, in the same order).
Returns: SQL text, one row: missing, surplus.
#}
{% macro _compare_sql(query, columns, table, present) -%}
with wanted as (
    select {{ dbt_mview._comparable(columns) }}
    from (
{{ query }}
    )
),
present as (
    select {{ dbt_mview._comparable(present) }}
    from {{ table }}
)
select
    (
        select count(*)
        from (select * from wanted except all select * from present)
    ) as missing,
    (
        select count(*)
        from (select * from present except all select * from wanted)
    ) as surplus
{%- endmacro %}


{# Args: columns (list of name, type, expression). Returns: SQL text. #}
{% macro _comparable(columns) %}
    {%- set found = [] -%}
    {%- for column in columns -%}
        {%- set value = column.expression -%}
        {%- if "map<" in column.type -%}{%- set value = "to_json(" ~ value ~ ")" -%}{%- endif -%}
        {%- do found.append({"name": column.name, "expression": value}) -%}
    {%- endfor -%}
    {{ return(dbt_mview._select_list(found)) }}
{% endmacro %}
