{#
A source in a run that is as of a time (var dbt_mview:as_of): as it was then. Materialized views pin
what they read themselves, so they and all other runs get the source as it is.

Args: relation (what builtins.source gave).
Returns: SQL text in place of the relation, or the relation.
Errors: see as_of.
Example: {{ return(dbt_mview.source_as_of(builtins.source(s, t))) }} in a macro source(s, t)
#}
{% macro source_as_of(relation) %}
    {%- set as_of = var("dbt_mview:as_of", none) -%}
    {%- if as_of is none or dbt_mview._kind_of_model(model) == "view" -%}
        {{ return(relation) }}
    {%- endif -%}
    {{ return(dbt_mview.as_of(relation, as_of)) }}
{% endmacro %}


{# A run as of a time: whether it may be asked for, and that it is in use. Errors: see as_of. #}
{% macro _begin_run_as_of() %}
    {%- set moment = dbt_mview._run_as_of() -%}
    {%- if moment is not none -%}
        {%- set shown = var("dbt_mview:as_of") -%}
        {%- do dbt_mview._check_flashback("the var dbt_mview:as_of", moment, shown) -%}
    {%- endif -%}
{% endmacro %}
