{#
A literal or a quoted name that the plan's text cannot be read around: EXPLAIN prints both without
their quotes, and the lists of an operator are told apart by their brackets and the numbers of their
columns.

Args: words (every token of the query, without the blanks). Returns: the literal or name, or none.
#}
{% macro _odd_literal(words) %}
    {%- set inside = "[^\\[\\](){}]*" -%}
    {%- set pairs = ["\\(" ~ inside ~ "\\)", "\\[" ~ inside ~ "\\]", "\\{" ~ inside ~ "\\}"] -%}
    {%- for word in words if word[-1:] in ["'", '"', "`"] -%}
        {%- set at = namespace(rest=word) -%}
        {%- for _ in range(5) -%}
            {%- set at.rest = modules.re.sub(pairs | join("|"), "", at.rest) -%}
        {%- endfor -%}
        {%- if modules.re.search("[\\[\\](){}]", at.rest) -%} {{ return(word) }}
        {%- elif modules.re.search("#\\d|\\\\[uU0-7]", word) -%} {{ return(word) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# A literal that is printed as two would be. Args: as _odd_literal. Returns: string, or none. #}
{% macro _literal_with_comma(words) %}
    {%- for word in words if word[-1:] in ["'", '"'] and "," in word -%}
        {{ return(word) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# A literal that is a double or float; plans print 1e-1 as 0.1. Args, returns: as these. #}
{% macro _float_literal(words) %}
    {%- set pattern = "\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+[dDfF]?|[dDfF])" -%}
    {%- for word in words if modules.re.fullmatch(pattern, word) -%}
        {{ return(word) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
