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
    {#- A text is printed without its quotes: one that reads 'count(*)' counts nothing. -#}
    {%- set reads = modules.re.search("#\\d", inner) is not none -%}
    {%- if name == "count" and type == "bigint" and inner == "1" -%} {{ return("count_all") }}
    {%- elif not reads or (name == "count" and type != "bigint") -%} {{ return("other") }}
    {%- elif name == "count" -%} {{ return("count") }}
    {%- elif name == "sum" -%} {{ return(dbt_mview._sum_class(type)) }}
    {%- endif -%}
    {%- set ordered = (
        "boolean|tinyint|smallint|int|bigint|decimal\\(.*\\)|date|timestamp"
        ~ "|timestamp_ntz|string"
    ) -%}
    {{ return(name if modules.re.fullmatch(ordered, type) else "other") }}
{% endmacro %}


{#
How a sum follows changes. Spark adds two decimals of 38 digits at a scale of six at most, where a
sum keeps its own; and they may overflow, which is NULL.

Args: type (of the result's column). Returns: string, see _shape.
#}
{% macro _sum_class(type) %}
    {%- if type == "bigint" -%} {{ return("sum") }}{%- endif -%}
    {%- set digits = dbt_mview._decimal_digits(type) -%}
    {%- if not digits -%} {{ return("other") }}
    {%- elif digits[0] < 38 -%} {{ return("sum") }}
    {%- endif -%}
    {{ return("wide_sum" if digits[1] <= 6 else "other") }}
{% endmacro %}


{# Args: type. Returns: how many digits a decimal has, and after the point; none for others. #}
{% macro _decimal_digits(type) %}
    {%- set digits = modules.re.fullmatch("decimal\\((\\d+),(\\d+)\\)", type) -%}
    {{ return((digits.group(1) | int, digits.group(2) | int) if digits else none) }}
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
