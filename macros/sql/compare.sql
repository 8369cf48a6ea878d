{#
Compares a query with a table as multisets, both ways. Maps are compared as text, because Spark
does not compare them.

Args: sides (mapping, see _verify_sides). Returns: SQL text, one row: missing, surplus.
#}
{% macro _compare_sql(sides) -%}
with {{ dbt_mview._sides_sql(sides) }}
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


{# The rows themselves. Args: sides. Returns: SQL text, the view's columns after the verdict. #}
{% macro _differences_sql(sides) -%}
with {{ dbt_mview._sides_sql(sides) }}
select 'missing' as _mview_verdict, *
from (select * from wanted except all select * from present)
union all
select 'surplus' as _mview_verdict, *
from (select * from present except all select * from wanted)
{%- endmacro %}


{# Args: sides. Returns: SQL text, two tables of a WITH. #}
{% macro _sides_sql(sides) -%}
wanted as (
    select {{ dbt_mview._comparable(sides.wanted) }}
    from (
{{ sides.query }}
    )
),
present as (
    select {{ dbt_mview._comparable(sides.present) }}
    from {{ sides.view }}
)
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
