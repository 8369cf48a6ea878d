{#
Whether a condition looks at one row alone, so that the rows that a refresh writes decide it.

Asked of the engine: analyzed over one row of the result's types, the plan is the projection of that
row, and nothing else. An aggregate, a window, a subquery or a generator is an operator of its own,
or makes the condition's projection one. What depends on the moment or on chance is not decided when
a row is written, and what does not analyze is not known.

Args: condition (SQL text, may end in a comment), columns (of name, type). Returns: bool.
#}
{% macro _is_row_condition(condition, columns) %}
    {%- for column in columns if not dbt_mview._is_printable_type(column.type) -%}
        {{ return(false) }}
    {%- endfor -%}
    {%- set row = dbt_mview._row_of_nulls_sql(columns) -%}
    {%- set sql = "select (\n" ~ condition ~ "\n) as met\nfrom (" ~ row ~ ")" -%}
    {%- set reads = dbt_mview._reads(sql) -%}
    {%- if not reads.plan.startswith("Project [") -%} {{ return(false) }}{%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set projection = ["Project", "SubqueryAlias", "OneRowRelation"] -%}
    {%- for node in tree if node.inner or node.op not in projection -%}
        {{ return(false) }}
    {%- endfor -%}
    {#- The last two are the row, of which a wide one leaves out columns. -#}
    {%- set cut = tree[:-2] | selectattr("truncated") | list -%}
    {{ return(not (reads.unstable or reads.other or cut)) }}
{% endmacro %}
