{#
Literal bounds of keys, see _look_at_stage.

Args: alias, bounds. Returns: SQL condition over the alias.
#}
{% macro _bounds_sql(alias, bounds) %}
    {%- set parts = [] -%}
    {%- for bound in bounds -%}
        {%- set name = alias ~ "." ~ dbt_mview._quote(bound.column) -%}
        {%- set any = [] -%}
        {%- if bound.low is not none -%}
            {%- do any.append(name ~ " between " ~ bound.low ~ " and " ~ bound.high) -%}
        {%- endif -%}
        {%- if bound.nulls -%}{%- do any.append(name ~ " is null") -%}{%- endif -%}
        {%- if any -%}{%- do parts.append("(" ~ any | join(" or ") ~ ")") -%}{%- endif -%}
    {%- endfor -%}
    {{ return(parts | join(" and ") or "true") }}
{% endmacro %}


{# Args: text (a value as the engine prints it, or none), type. Returns: SQL literal, or none. #}
{% macro _typed_literal(text, type) %}
    {%- if text is none -%} {{ return(none) }}{%- endif -%}
    {%- set literal = dbt_mview._literal(text) -%}
    {{ return(literal if type == "string" else "cast(" ~ literal ~ " as " ~ type ~ ")") }}
{% endmacro %}
