{#
Operators that keep rows without a match, rewritten in a delta term so that it finds the rows that
match: outer joins become inner ones, anti joins semi joins, NOT EXISTS and NOT IN become EXISTS and
IN, and EXCEPT becomes INTERSECT. A full join keeps the rows of one side only.
#}
{#
A query with some of these operators rewritten.

Args: sql, ranks (which of them, in the order of the text). Returns: SQL text.
#}
{% macro _to_matches(sql, ranks) %}
    {%- if not ranks -%} {{ return(sql) }}{%- endif -%}
    {%- set tokens = dbt_mview._tokens(sql) | list -%}
    {%- set words = dbt_mview._unmatched_words(tokens) -%}
    {%- for rank in ranks -%}
        {%- for at, word in words[rank].items() -%}
            {%- do tokens.pop(at) -%} {%- do tokens.insert(at, word) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(tokens | join) }}
{% endmacro %}


{#
Where a text has the words of these operators. Args: tokens (see _tokens). Returns: list of mappings
index of a word -> what it becomes.
#}
{% macro _unmatched_words(tokens) %}
    {%- set words = tokens[1::3] | map("lower") | list + ["", "", ""] -%}
    {%- set found = [] -%}
    {%- for index in range(words | length - 3) -%}
        {%- set at, next = 3 * index + 1, words[index + 1 : index + 4] -%}
        {%- if words[index] in ["left", "right"] -%}
            {%- if next[0] == "join" -%} {%- do found.append({at: "inner"}) -%}
            {%- elif next[:2] == ["outer", "join"] -%}
                {%- do found.append({at: "inner", at + 3: ""}) -%}
            {%- endif -%}
        {%- elif words[index] == "full" and "join" in [next[0], next[1]] -%}
            {%- do found.append({at: "left"}) -%} {%- do found.append({at: "right"}) -%}
        {%- elif words[index] == "anti" and next[0] == "join" -%}
            {%- do found.append({at: "semi"}) -%}
        {%- elif words[index] == "not" and next[0] in ["exists", "in"] and next[1] == "(" -%}
            {#- No list of values, nor the function of an array. -#}
            {%- if next[2] in ["select", "with", "from", "table", "values"] -%}
                {%- do found.append({at: ""}) -%}
            {%- endif -%}
        {%- elif words[index] in ["except", "minus", "setminus"] -%}
            {#- No columns that `*` leaves out, and no name. -#}
            {%- set query = next | reject("in", ["distinct", "("]) | first -%}
            {%- if query in ["select", "with", "table", "values"] -%}
                {%- do found.append({at: "intersect"}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether that rewrites these operators of the plan and nothing else: the engine is asked for the plan
of the rewritten text.

Args: sql, tree (of it), places (indexes, see _unmatched), ranks (see _to_matches). Returns: bool.
#}
{% macro _is_to_matches_alone(sql, tree, places, ranks) %}
    {%- set words = dbt_mview._unmatched_words(dbt_mview._tokens(sql)) -%}
    {%- if words | length != dbt_mview._unmatched(tree) | length -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set turned = dbt_mview._reads(dbt_mview._to_matches(sql, ranks)) -%}
    {{ return(dbt_mview._differ_in_matches_alone(tree, dbt_mview._query_tree(turned), places)) }}
{% endmacro %}
