{# Args: tree, index. Returns: list of the ids of an operator's columns; empty if not known. #}
{% macro _output_ids(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.op in ["Project", "Aggregate", "CTERelationRef", "Relation"] -%}
        {%- set lists = dbt_mview._lists(node) -%}
        {{ return(dbt_mview._ids(lists[-1]) if lists else []) }}
    {%- endif -%}
    {%- set ids = [] -%}
    {%- for child in tree -%}
        {%- if child.parent == index and not child.inner and child.op != "CTERelationDef" -%}
            {%- set kind = node.text.split(",")[0] -%}
            {%- set both = node.op == "Join" and "Semi" not in kind and "Anti" not in kind -%}
            {%- if child.position == 0 or both or node.op == "WithCTE" -%}
                {%- do ids.extend(dbt_mview._output_ids(tree, loop.index0)) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if node.op == "Window" -%}
        {%- do ids.extend(dbt_mview._ids(dbt_mview._first_list(node))) -%}
    {%- endif -%}
    {{ return(ids) }}
{% endmacro %}


{#
What a reference to a CTE reads: the columns of the definition, by their places.

Args: tree, node (a CTERelationRef). Returns: mapping id of the reference -> id in the definition;
    none if these are not known.
#}
{% macro _read_from_cte(tree, node) %}
    {%- set ids = dbt_mview._ids(dbt_mview._first_list(node)) -%}
    {%- set defined = dbt_mview._defined_ids(tree, node.text.split(",")[0]) -%}
    {%- if ids | length != defined | length -%} {{ return(none) }}{%- endif -%}
    {%- set read = {} -%}
    {%- for id in ids -%} {%- do read.update({id: defined[loop.index0]}) -%} {%- endfor -%}
    {{ return(read) }}
{% endmacro %}


{# Args: tree, cte (its number). Returns: list of the ids of its columns; empty if not known. #}
{% macro _defined_ids(tree, cte) %}
    {%- for node in tree -%}
        {%- if node.op == "CTERelationDef" and node.text.split(",")[0] == cte -%}
            {{ return(dbt_mview._output_ids(tree, loop.index0 + 1)) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return([]) }}
{% endmacro %}
