{#
Who answers for a view: a dbt project, one of its targets and its schema. Several may share state.

Args: state (row, or none for this invocation). Returns: list of three strings.
#}
{% macro _owner_of(state=none) %}
    {%- if state is none -%} {{ return([project_name, target.name, target.schema]) }}{%- endif -%}
    {%- set spec = state.spec or {} -%}
    {{ return([spec.get("project"), spec.get("target"), spec.get("target_schema")]) }}
{% endmacro %}
