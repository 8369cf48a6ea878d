{#
Whether the name before a bracket is that of a subquery with a list of its columns, as in
`(select ...) as t (a, b)` or `with t (a, b) as (select ...)`, and no function.

Args: tokens (lower case, without the blanks), index (of the name). Returns: bool.
#}
{% macro _names_a_subquery(tokens, index) %}
    {%- set before = tokens[index - 1] if index else "" -%}
    {%- if before in ["as", ")", "with", "recursive"] -%} {{ return(true) }}{%- endif -%}
    {%- if before != "," -%} {{ return(false) }}{%- endif -%}
    {#- One more table of a WITH: only names stand in its list. -#}
    {%- set closing = tokens[index:].index(")") + index if ")" in tokens[index:] else index -%}
    {{
        return(
            tokens[closing + 1 : closing + 3] == ["as", "("]
            and (tokens[closing + 3 : closing + 4] | first)
            in ["select", "with", "values", "from", "table"]
        )
    }}
{% endmacro %}
