{# What a join compares for equality, and whether a set operator compares whole rows. #}
{#
Args: node (a Join). Returns: list of pairs, for each comparison by = or <=> that AND joins with the
other conditions: the ids of either side, see _coalesced_ids.
#}
{% macro _compared_columns(node) %}
    {%- set found = [] -%}
    {%- for condition in dbt_mview._conjuncts(node) -%}
        {%- set sides = modules.re.fullmatch("\\((.+) (?:=|<=>) (.+)\\)", condition) -%}
        {%- if sides -%}
            {%- set left = dbt_mview._coalesced_ids(sides.group(1)) -%}
            {%- set right = dbt_mview._coalesced_ids(sides.group(2)) -%}
            {%- if left and right -%} {%- do found.append([left, right]) -%} {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
The columns of an expression that is one column, or the first of some that is not NULL.

Args: expression (text). Returns: list of ids; empty: it is something else.
#}
{% macro _coalesced_ids(expression) %}
    {%- set column = "[^()# ]*#\\d+L?" -%}
    {%- set list_ = "(?:coalesce|nvl|ifnull)\\(" ~ column ~ "(?:, " ~ column ~ ")*\\)" -%}
    {%- if modules.re.fullmatch(column ~ "|" ~ list_, expression) -%}
        {{ return(modules.re.findall("#(\\d+)", expression)) }}
    {%- endif -%}
    {{ return([]) }}
{% endmacro %}


{# Args: node (an Except or Intersect). Returns: bool; with ALL it counts equal rows. #}
{% macro _is_of_distinct_rows(node) %} {{ return(node.text == "false") }} {% endmacro %}
