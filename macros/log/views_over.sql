{#
The views of this project that read a table, directly or through views and ephemeral models.

Args: base (name). Returns: mapping mview_id -> node.
#}
{% macro _views_over(base) %}
    {%- set reached = [] -%}
    {%- for node in (graph.nodes.values() | list) + (graph.get("sources", {}).values() | list) -%}
        {%- if node.resource_type in ["model", "seed", "snapshot", "source"] -%}
            {%- if dbt_mview._mview_id(dbt_mview._relation_of(node)) == base -%}
                {%- do reached.append(node.unique_id) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set found = {} -%}
    {%- for parent in reached -%}
        {%- for node in graph.nodes.values() if parent in dbt_mview._parents_of(node) -%}
            {%- set kind = node.config.get("materialized") -%}
            {%- if kind == "mview" -%}
                {%- do found.update({dbt_mview._mview_id(dbt_mview._relation_of(node)): node}) -%}
            {%- elif kind in ["view", "ephemeral"] and node.unique_id not in reached -%}
                {#- Looked at in turn: the outer loop comes to what is appended. -#}
                {%- do reached.append(node.unique_id) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: node (of the graph; a seed has none). Returns: list of unique_ids. #}
{% macro _parents_of(node) %}
    {{ return((node.get("depends_on") or {}).get("nodes") or []) }}
{% endmacro %}
