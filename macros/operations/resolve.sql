{# The view that a user names. #}
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


{# Args: relation, state (its row, or none). Errors: the view has no stored definition. #}
{% macro _check_definition(relation, state) %}
    {%- if not state or not state.definition -%}
        {%- set id = dbt_mview._mview_id(relation) -%}
        {%- do dbt_mview._raise(
            id,
            "state has no definition of it.",
            "Build the view once with `dbt run --select "
            ~ dbt_mview._model_name(id)
            ~ "`.",
        ) -%}
    {%- endif -%}
{% endmacro %}
