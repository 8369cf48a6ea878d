{#
The tables of the plan. Args: tree.
Returns: mapping index -> mapping relation, name (the relation and which time it is read).
#}
{% macro _places_in_plan(tree) %}
    {%- set places = {} -%}
    {%- set times = {} -%}
    {%- for node in tree -%}
        {%- set relation = dbt_mview._relation_name(node) -%}
        {%- if relation -%}
            {%- set turn = times.get(relation, 0) -%}
            {%- do times.update({relation: turn + 1}) -%}
            {%- do places.update(
                {loop.index0: {"relation": relation, "name": relation ~ " " ~ turn}}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(places) }}
{% endmacro %}


{# Args: node. Returns: string catalog.schema.identifier of a table in the plan, else none. #}
{% macro _relation_name(node) %}
    {%- if node.op not in ["Relation", "RelationV2"] -%} {{ return(none) }}{%- endif -%}
    {%- set text = node.text if node.op == "Relation" else node.text.split("] ")[-1] -%}
    {{ return(dbt_mview._name_parts(modules.re.split("[\\[, ]", text)[0]) | join(".")) }}
{% endmacro %}
