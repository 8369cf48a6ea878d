{#
How one value of a group follows changes.

Args: expression (as the plan prints it), type (of the result's column).
Returns: string, see _shape.
#}
{% macro _value_class(expression, type) %}
    {%- set call = modules.re.fullmatch("(sum|count|min|max)\\((.*)\\)", expression) -%}
    {%- if not call or dbt_mview._closes_early(call.group(2)) -%} {{ return("other") }}{%- endif -%}
    {%- set name, inner = call.group(1), call.group(2) -%}
    {%- if inner.startswith("distinct ") -%} {{ return("other") }}{%- endif -%}
    {%- if name == "count" -%} {{ return("count_all" if inner == "1" else "count") }}{%- endif -%}
    {%- if name == "sum" -%}
        {{ return("sum" if modules.re.fullmatch("bigint|decimal\\(.*\\)", type) else "other") }}
    {%- endif -%}
    {%- set ordered = (
        "boolean|tinyint|smallint|int|bigint|decimal\\(.*\\)|date|timestamp"
        ~ "|timestamp_ntz|string"
    ) -%}
    {{ return(name if modules.re.fullmatch(ordered, type) else "other") }}
{% endmacro %}


{# Whether a text closes a bracket that it did not open. Args: text. Returns: bool. #}
{% macro _closes_early(text) %}
    {%- set at = namespace(depth=0, early=false) -%}
    {%- for char in text -%}
        {%- set at.depth = at.depth + (1 if char == "(" else (-1 if char == ")" else 0)) -%}
        {%- if at.depth < 0 -%} {%- set at.early = true -%} {%- endif -%}
    {%- endfor -%}
    {{ return(at.early) }}
{% endmacro %}
