{#
Whether it depends on some values which rows there are: a filter, a join or a group above asks for
them, or nobody can tell.

Args: tree, index (of the operator that computes them), ids (of these values). Returns: bool.
#}
{% macro _is_decided_by(tree, index, ids) %}
    {%- set at = namespace(node=index, ids=ids) -%}
    {%- for _ in tree -%}
        {%- set below = at.node -%}
        {%- set at.node = dbt_mview._node_above(tree, below) -%}
        {%- if at.node is none -%} {{ return(false) }}{%- endif -%}
        {%- set found = none -%}
        {%- if at.node is not string -%}
            {%- set found = dbt_mview._ids_from(tree, below, at.node, at.ids) -%}
        {%- endif -%}
        {%- if found is none -%} {{ return(true) }}{%- endif -%}
        {%- set at.ids = (at.ids + found) | unique | list -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}
