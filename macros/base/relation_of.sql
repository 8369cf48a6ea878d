{#
One node of dbt's graph: its relation, its kind, the name that selectors take, and which nodes this
run builds.
#}
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


{# As people call it. Args: name (catalog.schema.identifier). Returns: schema.identifier. #}
{% macro _short_name(name) %} {{ return(name.split(".")[1:] | join(".")) }} {% endmacro %}


{#
What this run may build. `dbt retry` does not say which nodes it runs again; then it may be any.

Returns: iterable of unique_ids.
#}
{% macro _nodes_of_run() %}
    {%- if not selected_resources and flags.WHICH in ["run", "build"] -%}
        {{ return(graph.nodes.keys() | list) }}
    {%- endif -%}
    {{ return(selected_resources) }}
{% endmacro %}


{# What this run was asked for. Args: materialized (string). Returns: list of mview_ids. #}
{% macro _selected_ids(materialized) %}
    {%- set found = [] -%}
    {%- for unique_id in dbt_mview._nodes_of_run() -%}
        {%- set node = graph.nodes.get(unique_id) -%}
        {%- if node and node.config.get("materialized") == materialized -%}
            {%- do found.append(dbt_mview._mview_id(dbt_mview._relation_of(node))) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: mview_id. Returns: the model, seed or snapshot that builds what has this name, or none. #}
{% macro _node_called(mview_id) %}
    {%- for node in graph.nodes.values() if node.resource_type in ["model", "seed", "snapshot"] -%}
        {%- set builds = node.config.get("materialized") != "ephemeral" -%}
        {%- if builds and dbt_mview._mview_id(dbt_mview._relation_of(node)) == mview_id -%}
            {{ return(node) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# As _node_called, for a node that is no view any more. #}
{% macro _successor_of(mview_id) %}
    {%- set node = dbt_mview._node_called(mview_id) -%}
    {{ return(none if node and dbt_mview._kind_of_model(node) == "view" else node) }}
{% endmacro %}


{#
What `dbt run --select` takes for a view or a log: the name of its model, which may have another
alias, and of one of several versions; without a model, the table's.

Args: id (catalog.schema.identifier). Returns: string.
#}
{% macro _model_name(id) %}
    {%- set node = dbt_mview._node_called(id) -%}
    {{ return(dbt_mview._versioned_name(node) if node else id.split(".")[2]) }}
{% endmacro %}


{# Args: node. Returns: string, as dbt's selectors name a version of a model; else its name. #}
{% macro _versioned_name(node) %}
    {%- set version = node.get("version") -%}
    {{ return(node.name if version is none else node.name ~ ".v" ~ version) }}
{% endmacro %}


{# Args: node (of the graph). Returns: view, log, or none: another kind of model. #}
{% macro _kind_of_model(node) %}
    {%- set kinds = {
        "mview": "view",
        "materialized_view": "view",
        "materialized_view_log": "log",
    } -%}
    {{ return(kinds.get((node.get("config") or {}).get("materialized"))) }}
{% endmacro %}


{# Returns: mapping mview_id -> node, of all models with materialized='mview'. #}
{% macro _views_of_project() %}
    {%- set found = {} -%}
    {%- for node in graph.nodes.values() if node.resource_type == "model" -%}
        {%- if node.config.get("materialized") == "mview" -%}
            {%- do found.update({dbt_mview._mview_id(dbt_mview._relation_of(node)): node}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
