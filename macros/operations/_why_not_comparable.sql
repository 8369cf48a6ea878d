{#
Why a view that is not equal to its query may be right all the same.

Args: state (row), reads (see _reads), bound (see _bindings), both of the query that state has.
Returns: string, or none if the two can be compared.
#}
{% macro _why_not_comparable(state, reads, bound) %}
    {%- if bound.unbound -%}
        {{ return("no version of " ~ bound.unbound | join(", ")) }}
    {%- endif -%}
    {%- set unstable = dbt_mview._unstable_of(reads, bound) -%}
    {%- if unstable -%}
        {{ return("its result changes by itself: " ~ unstable | join(", ")) }}
    {%- endif -%}
    {%- if state.definition_hash not in [none, dbt_mview._definition_hash(bound)] -%}
        {{ return("a view that it reads has changed since") }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
