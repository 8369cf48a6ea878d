{#
A literal that is a double or float; plans print 1e-1 as 0.1.

Args: words (every token of the query, without the blanks). Returns: the literal, or none.
#}
{% macro _float_literal(words) %}
    {%- set pattern = "\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+[dDfF]?|[dDfF])" -%}
    {%- for word in words if modules.re.fullmatch(pattern, word) -%}
        {{ return(word) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
