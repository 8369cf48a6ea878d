{#
The views that a model reads, also through what dbt or Spark puts into its query: ephemeral models
and plain views. A table between them is as old as its own last run, so it leads no further.

Args: node (of the graph). Returns: list of mview_ids, by name.
#}
{% macro _views_read_by(node) %}
    {%- set open = node.depends_on.nodes | list -%}
    {%- set seen, found = {}, {} -%}
    {#- It grows as it is read. -#}
    {%- for unique_id in open if unique_id not in seen -%}
        {%- do seen.update({unique_id: true}) -%}
        {%- set parent = graph.nodes.get(unique_id) or {"config": {}} -%}
        {%- if dbt_mview._kind_of_model(parent) == "view" -%}
            {%- do found.update({dbt_mview._mview_id(dbt_mview._relation_of(parent)): true}) -%}
        {%- elif parent.config.get("materialized") in ["ephemeral", "view"] -%}
            {%- do open.extend(parent.depends_on.nodes) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found.keys() | sort) }}
{% endmacro %}
