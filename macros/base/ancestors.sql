{#
What reads what in dbt's graph. Tables end the search where dbt builds them apart; ephemeral models
and plain views do not.
#}
{# All that a node is built from. Args: unique_id. Returns: list of unique_ids. #}
{% macro _ancestors(unique_id) %}
    {%- set found = [] -%}
    {%- set todo = [unique_id] -%}
    {#- The list grows while it is gone through. -#}
    {%- for one in todo -%}
        {%- set node = graph.nodes.get(one) or {} -%}
        {%- for parent in dbt_mview._parents_of(node) if parent not in found -%}
            {%- do found.append(parent) -%} {%- do todo.append(parent) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: node (of the graph; a seed has none). Returns: list of unique_ids. #}
{% macro _parents_of(node) %}
    {{ return((node.get("depends_on") or {}).get("nodes") or []) }}
{% endmacro %}


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
                {#- The outer loop also reaches what is appended meanwhile. -#}
                {%- do reached.append(node.unique_id) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


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


{# Whether a view or a log of this project reads a view. Args: mview_id. Returns: bool. #}
{% macro _is_followed(mview_id) %}
    {%- for node in graph.nodes.values() if dbt_mview._kind_of_model(node) -%}
        {%- if mview_id in dbt_mview._views_read_by(node) -%} {{ return(true) }}{%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
