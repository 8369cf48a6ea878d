{# Relaxed predicates: filters that are made true in a delta term, so that they hide no key. #}
{#
Filters of a query whose condition is made true for every row: `where 1000003 = 1000003 or a and b`
is, whatever comes after OR, which binds least; and in the plan the number says which WHERE or
HAVING of the text the filter was.

Args: sql, ranks (which of them, in the order of the text; none: all, to see them in the plan).
Returns: SQL text; without a change if it has a number that could be taken for that of a filter.
#}
{% macro _relax_predicates(sql, ranks=none) %}
    {%- if ranks == [] or dbt_mview._has_predicate_number(sql) -%} {{ return(sql) }}{%- endif -%}
    {%- set parts = dbt_mview._tokens(sql) | list -%}
    {%- set words = dbt_mview._predicate_words(parts) -%}
    {%- for rank in range(words | length) if ranks is none or rank in ranks -%}
        {%- set at, number = words[rank], dbt_mview._first_predicate_number() + rank -%}
        {%- set opened = parts[at] ~ " " ~ number ~ " = " ~ number ~ " or" -%}
        {%- do parts.pop(at) -%} {%- do parts.insert(at, opened) -%}
    {%- endfor -%}
    {{ return(parts | join) }}
{% endmacro %}


{# Whether a text has a number that could be taken for a filter's. Args: sql. Returns: bool. #}
{% macro _has_predicate_number(sql) %}
    {{ return(modules.re.search("\\b1\\d{6}\\b", sql) is not none) }}
{% endmacro %}


{#
Where a text has the words of filters over its tables, CTEs and subqueries in FROM. Not in
subqueries of expressions: an OR beside a condition on the query around them may not analyze.

Args: tokens (see _tokens). Returns: list of indexes of WHERE and HAVING.
#}
{% macro _predicate_words(tokens) %}
    {%- set words = tokens[1::3] | map("lower") | list -%}
    {%- set levels = [true] -%}
    {%- set found = [] -%}
    {%- for word in words -%}
        {%- if word == "(" -%}
            {%- set of_tables = words[loop.index0 - 1] in ["", "(", "from", "join", "as"] -%}
            {%- do levels.append(levels[-1] and of_tables) -%}
        {%- elif word == ")" and levels | length > 1 -%} {%- do levels.pop() -%}
        {%- elif word in ["where", "having"] and levels[-1] -%}
            {%- do found.append(3 * loop.index0 + 1) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
