{#
Before a run with views in it: state is there and usable, and its rows are read once for all.
A run without views does nothing here.
#}
{% macro _on_run_start() %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if dbt_mview._selected("materialized_view_log") and flags.WHICH in ["run", "build"] -%}
        {%- do dbt_mview._ensure_state(logs=true) -%}
    {%- endif -%}
    {%- if dbt_mview._selected("mview") and flags.WHICH in ["run", "build"] -%}
        {%- do dbt_mview._ensure_state() -%}
        {%- do dbt_mview._clock() -%}
        {%- set memory = dbt_mview._memory() -%}
        {%- set states = dbt_mview._read_states() -%}
        {%- do memory.states.update(states) -%}
        {%- for mview_id in dbt_mview._selected("mview") if mview_id not in states -%}
            {%- do memory.states.update({mview_id: none}) -%}
        {%- endfor -%}
        {#- dbt has created those. -#}
        {%- for unique_id in selected_resources if unique_id in graph.nodes -%}
            {%- set node = graph.nodes[unique_id] -%}
            {%- set name = dbt_mview._schema_in(node.database, node.schema) -%}
            {%- do memory.schemas.append(name | lower) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return("") }}
{% endmacro %}


{# What this run was asked for. Args: materialized (string). Returns: list of mview_ids. #}
{% macro _selected(materialized) %}
    {%- set found = [] -%}
    {%- for unique_id in dbt_mview._chosen() -%}
        {%- set node = graph.nodes.get(unique_id) -%}
        {%- if node and node.config.get("materialized") == materialized -%}
            {%- do found.append(dbt_mview._mview_id(dbt_mview._relation_of(node))) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
What this run may build. `dbt retry` does not tell which nodes it runs again; then it may be any.

Returns: iterable of unique_ids.
#}
{% macro _chosen() %}
    {%- if not selected_resources and flags.WHICH in ["run", "build"] -%}
        {{ return(graph.nodes.keys() | list) }}
    {%- endif -%}
    {{ return(selected_resources) }}
{% endmacro %}


{# Args: node (of the graph; a source has an identifier). Returns: Relation. #}
{% macro _relation_of(node) %}
    {%- set name = node.identifier if node.resource_type == "source" else node.alias -%}
    {{
        return(
            api.Relation.create(
                database=node.database, schema=node.schema, identifier=name or node.name
            )
        )
    }}
{% endmacro %}
