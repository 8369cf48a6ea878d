{# Outer joins that are made inner ones in a delta term, so that it finds the rows that match. #}
{#
A query with some of its outer joins made inner ones.

Args: sql, ranks (which of them, in the order of the text). Returns: SQL text.
#}
{% macro _outer_to_inner(sql, ranks) %}
    {%- if not ranks -%} {{ return(sql) }}{%- endif -%}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set words = dbt_mview._outer_join_words(tokens) -%}
    {%- set turned = [] -%}
    {%- for rank in ranks -%} {%- do turned.append(words[rank]) -%} {%- endfor -%}
    {%- set lefts = turned | map(attribute="at") | list -%}
    {%- set outers = turned | map(attribute="outer") | list -%}
    {%- set parts = [] -%}
    {%- for token in tokens -%}
        {%- set word = "" if loop.index0 in outers else token -%}
        {%- do parts.append("inner" if loop.index0 in lefts else word) -%}
    {%- endfor -%}
    {{ return(parts | join) }}
{% endmacro %}


{#
Where a text has the words of outer joins. Args: tokens (see _tokens). Returns: list of mappings at
(index of LEFT or RIGHT), outer (index of OUTER, or none).
#}
{% macro _outer_join_words(tokens) %}
    {%- set words = tokens[1::3] | map("lower") | list + ["", ""] -%}
    {%- set found = [] -%}
    {%- for index in range(words | length - 2) if words[index] in ["left", "right"] -%}
        {%- set at = 3 * index + 1 -%}
        {%- if words[index + 1] == "join" -%} {%- do found.append({"at": at, "outer": none}) -%}
        {%- elif words[index + 1] == "outer" and words[index + 2] == "join" -%}
            {%- do found.append({"at": at, "outer": at + 3}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether turning joins in the text turns these joins of the plan and changes nothing else: the engine
is asked for the plan of the turned text.

Args: sql, tree (of it), joins (indexes), ranks (see _outer_to_inner). Returns: bool.
#}
{% macro _is_outer_to_inner_alone(sql, tree, joins, ranks) %}
    {%- set words = dbt_mview._outer_join_words(dbt_mview._tokens(sql)) -%}
    {%- if words | length != dbt_mview._outer_joins(tree) | length -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set turned = dbt_mview._reads(dbt_mview._outer_to_inner(sql, ranks)) -%}
    {{ return(dbt_mview._differ_in_joins_alone(tree, dbt_mview._query_tree(turned), joins)) }}
{% endmacro %}
