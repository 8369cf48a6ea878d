{#
What `dbt run --select` takes for a view or a log: the name of its model, which may have another
alias, and of one of several versions; without a model, the table's.

Args: id (catalog.schema.identifier). Returns: string.
#}
{% macro _model_name(id) %}
    {%- set node = dbt_mview._node_called(id) -%}
    {{ return(dbt_mview._versioned_name(node) if node else id.split(".")[2]) }}
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
