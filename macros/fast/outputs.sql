{#
Where each column of the result comes from: renames are followed down to the operator that
computes it.

Args: tree, columns (of the query, in any order), computed (ids of the attributes where to stop).
Returns: mapping column name -> id of the attribute below all projections that only pass it on;
    none if the plan's columns are not those of the query.
#}
{% macro _outputs(tree, columns, computed) %}
    {%- set passed = dbt_mview._passed_on(tree) -%}
    {%- set ids = {} -%}
    {%- for item in dbt_mview._first_list(tree[0]) -%}
        {%- set part = dbt_mview._plan_item(item) -%}
        {%- do ids.update({part.name | lower: part.id}) -%}
    {%- endfor -%}
    {%- set names = columns | map(attribute="name") | map("lower") | list -%}
    {%- if ids | length != names | length or names | reject("in", ids) | list -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set outputs = {} -%}
    {%- for column in columns -%}
        {%- set id = ids[column.name | lower] -%}
        {%- do outputs.update({column.name: dbt_mview._origin(passed, id, computed)}) -%}
    {%- endfor -%}
    {{ return(outputs) }}
{% endmacro %}
