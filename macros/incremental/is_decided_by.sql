{# Whether values decide which rows there are, on the way from an operator to the result. #}
{#
Whether some values decide which rows there are: a filter, a join or a group above references them,
or the plan does not show it.

Args: tree, index (of the operator that computes them), ids (of these values). Returns: bool.
#}
{% macro _is_decided_by(tree, index, ids) %}
    {%- set way = dbt_mview._climb(tree, index) -%}
    {%- set at = namespace(ids=ids) -%}
    {%- for above in way.nodes -%}
        {%- set below = ([index] + way.nodes)[loop.index0] -%}
        {%- set found = dbt_mview._ids_from(tree, below, above, at.ids) -%}
        {%- if found is none -%} {{ return(true) }}{%- endif -%}
        {%- set at.ids = (at.ids + found) | unique | list -%}
    {%- endfor -%}
    {{ return(way.reason is not none) }}
{% endmacro %}


{#
What an operator makes of some values of the one below.

Args: tree, below, index, ids. Returns: list of ids; none if it decides by them which rows there
    are, or if that is not known.
#}
{% macro _ids_from(tree, below, index, ids) %}
    {%- set node = tree[index] -%}
    {%- set traits = dbt_mview._rule_of(node).traits -%}
    {%- set found = [] -%}
    {%- if tree[below].inner -%} {{ return(none) }} {%- elif "passes" in traits -%} {{ return([]) }}
    {%- elif node.truncated -%} {{ return(none) }}
    {%- endif -%}
    {%- if node.op == "CTERelationRef" -%}
        {%- for id, defined in (dbt_mview._read_from_cte(tree, node) or {}).items() -%}
            {%- if defined in ids -%} {%- do found.append(id) -%} {%- endif -%}
        {%- else -%} {{ return(none) }}
        {%- endfor -%}
    {%- elif node.op == "Union" -%}
        {%- set branch = tree[below].output -%}
        {%- if branch | length != node.output | length -%} {{ return(none) }}
        {%- endif -%}
        {%- for id in branch -%}
            {%- if id in ids -%} {%- do found.append(node.output[loop.index0]) -%} {%- endif -%}
        {%- endfor -%}
        {%- elif "decides" in traits -%}
        {{ return(none if dbt_mview._are_any_in(node.references, ids) else []) }}
        {%- elif "computes" in traits and node.columns -%}
        {%- if dbt_mview._are_any_in(node.decides, ids) -%} {{ return(none) }}
        {%- endif -%}
        {%- for column in node.columns -%}
            {%- if column.id in ids or dbt_mview._are_any_in(column.references, ids) -%}
                {%- do found.append(column.id) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%} {{ return(none) }}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
