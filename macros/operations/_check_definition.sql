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
