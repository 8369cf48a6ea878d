{# Whether values decide which rows there are, on the way from an operator to the result. #}
{#
Whether some values decide which rows there are: a filter, a join or a group above references them,
or the plan does not show it.

Args: tree, index (of the operator that computes them), ids (of these values). Returns: bool.
#}
{% macro _is_decided_by(tree, index, ids) %}
    {%- set at = namespace(node=index, ids=ids) -%}
    {%- for _ in tree -%}
        {%- set below = at.node -%}
        {%- set at.node = dbt_mview._parent(tree, below) -%}
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


{#
What an operator makes of some values of the one below.

Args: tree, below, index, ids. Returns: list of ids; none if it decides by them which rows there
    are, or if that is not known.
#}
{% macro _ids_from(tree, below, index, ids) %}
    {%- set node = tree[index] -%}
    {%- set passing = ["SubqueryAlias", "View", "WithCTE", "CTERelationDef", "Sort"] -%}
    {%- set lists = dbt_mview._lists(node) -%}
    {%- set found = [] -%}
    {%- if node.op in passing -%} {{ return([]) }}{%- endif -%}
    {%- if " more fields" in node.text -%} {{ return(none) }}{%- endif -%}
    {%- if node.op == "CTERelationRef" -%}
        {%- for id, defined in (dbt_mview._read_from_cte(tree, node) or {}).items() -%}
            {%- if defined in ids -%} {%- do found.append(id) -%} {%- endif -%}
        {%- else -%} {{ return(none) }}
        {%- endfor -%}
    {%- elif node.op == "Union" -%}
        {%- set out = dbt_mview._output_ids(tree, index) -%}
        {%- set branch = dbt_mview._output_ids(tree, below) -%}
        {%- if branch | length != out | length -%} {{ return(none) }}
        {%- endif -%}
        {%- for id in branch -%}
            {%- if id in ids -%} {%- do found.append(out[loop.index0]) -%} {%- endif -%}
        {%- endfor -%}
    {%- elif node.op in ["Filter", "Join"] -%}
        {{ return(none if dbt_mview._references_any(node.text, ids) else []) }}
    {%- elif node.op in ["Project", "Aggregate", "Window"] and lists -%}
        {#- The values come last of an Aggregate, and first of a Window, before PARTITION BY. -#}
        {%- set values = lists[-1] if node.op == "Aggregate" else lists[0] -%}
        {%- set others = lists[:-1] if node.op == "Aggregate" else lists[1:] -%}
        {%- if dbt_mview._references_any(others | string, ids) -%} {{ return(none) }}
        {%- endif -%}
        {%- for item in values if dbt_mview._references_any(item, ids) -%}
            {%- do found.append(dbt_mview._plan_item(item).id) -%}
        {%- endfor -%}
    {%- else -%} {{ return(none) }}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
