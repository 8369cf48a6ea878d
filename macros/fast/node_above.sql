{#
The node above, through the reference of a CTE; or the reason why the climb ends here.

Args: tree, index. Returns: index, none at the root, or a reason (string).
#}
{% macro _node_above(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.inner -%} {{ return("SUBQUERY_NOT_INCREMENTAL") }}{%- endif -%}
    {%- set uses = dbt_mview._uses_of_cte(tree, node) -%}
    {%- if uses is none -%} {{ return(node.parent) }}
    {%- elif uses | length != 1 -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: a CTE that is read " ~ uses | length ~ " times") }}
    {%- endif -%}
    {{ return(uses[0]) }}
{% endmacro %}


{# Where a CTE is read. Args: tree, node. Returns: list of indexes; none if node is no CTE. #}
{% macro _uses_of_cte(tree, node) %}
    {%- if node.op != "CTERelationDef" -%} {{ return(none) }}{%- endif -%}
    {%- set id = node.text.split(",")[0] -%}
    {%- set uses = [] -%}
    {%- for other in tree -%}
        {%- if other.op == "CTERelationRef" and other.text.split(",")[0] == id -%}
            {%- do uses.append(loop.index0) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(uses) }}
{% endmacro %}
