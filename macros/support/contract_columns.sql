{#
The columns of the query in the contract's order, after dbt's own comparison of names and types.

Args: spec, columns (of the query). Returns: columns. Errors: dbt's contract message.
#}
{% macro _contract_columns(spec, columns) %}
    {%- do get_assert_columns_equivalent(spec.definition) -%}
    {%- set by_name = {} -%}
    {%- for column in columns -%}
        {%- do by_name.update({column.name | lower: column}) -%}
    {%- endfor -%}
    {%- set ordered = [] -%}
    {%- for column in model.columns.values() -%}
        {%- do ordered.append(by_name[column.name | lower]) -%}
    {%- endfor -%}
    {{ return(ordered) }}
{% endmacro %}
