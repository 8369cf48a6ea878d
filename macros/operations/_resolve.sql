{#
The view that a user means.

Args: view (model name or alias, schema.identifier, or mview_id). Returns: Relation.
Errors: no such view; more than one.
#}
{% macro _resolve(view) %}
    {%- set wanted = view | string | lower -%}
    {%- set found = {} -%}
    {%- for id, node in dbt_mview._views_of_project().items() -%}
        {%- set names = [node.name, dbt_mview._versioned_name(node), node.alias or ""] -%}
        {%- if wanted == id or wanted in names | map("lower") or id.endswith("." ~ wanted) -%}
            {%- do found.update({id: dbt_mview._relation_of(node)}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not found -%}
        {%- for id, state in dbt_mview._read_states().items() -%}
            {%- if id == wanted or id.endswith("." ~ wanted) -%}
                {%- do found.update({id: dbt_mview._relation_of_state(id, state)}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {%- if found | length != 1 -%}
        {%- do dbt_mview._raise(
            view,
            "is "
            ~ (
                "no materialized view"
                if not found
                else "ambiguous: " ~ found.keys() | join(", ")
            )
            ~ " of this project or its state.",
            "Name it by model or by schema.identifier; mview_info without a view lists all.",
        ) -%}
    {%- endif -%}
    {{ return(found.values() | first) }}
{% endmacro %}


{# Args: node. Returns: string, as dbt's selectors name a version of a model; else its name. #}
{% macro _versioned_name(node) %}
    {%- set version = node.get("version") -%}
    {{ return(node.name if version is none else node.name ~ ".v" ~ version) }}
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


{# Args: mview_id, state (row). Returns: Relation, with the case of the names as written. #}
{% macro _relation_of_state(mview_id, state) %}
    {%- set parts = mview_id.split(".") -%}
    {%- set spec = state.spec or {} -%}
    {{
        return(
            api.Relation.create(
                database=none if parts[0] == "spark_catalog" else parts[0],
                schema=spec.get("schema", parts[1]),
                identifier=spec.get("identifier", parts[2]),
            )
        )
    }}
{% endmacro %}
