{#
Operators that keep rows without a match, rewritten in a delta term so that it finds the rows that
match: outer joins become inner ones, anti joins semi joins, NOT EXISTS and NOT IN become EXISTS and
IN, and EXCEPT becomes INTERSECT. A full join keeps the rows of one side only.
#}
{#
A query with some of these operators rewritten.

Args: sql, ordinals (which of them, in the order of the text). Returns: SQL text.
#}
{% macro _to_matches(sql, ordinals) %}
    {%- if not ordinals -%} {{ return(sql) }}{%- endif -%}
    {%- set tokens = dbt_mview._tokens(sql) | list -%}
    {%- set words = dbt_mview._unmatched_words(tokens) -%}
    {%- for ordinal in ordinals -%}
        {%- for at, word in words[ordinal].items() -%}
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

Args: sql, tree (of it), places (indexes, see _unmatched), ordinals (see _to_matches).
Returns: bool.
#}
{% macro _is_to_matches_alone(sql, tree, places, ordinals) %}
    {%- set words = dbt_mview._unmatched_words(dbt_mview._tokens(sql)) -%}
    {%- if words | length != dbt_mview._unmatched(tree) | length -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set rewritten = dbt_mview._reads(dbt_mview._to_matches(sql, ordinals)) -%}
    {{
        return(
            dbt_mview._differ_in_matches_alone(tree, dbt_mview._query_tree(rewritten), places)
        )
    }}
{% endmacro %}


{#
Filters of a query whose condition is made true for every row: `where 1000003 = 1000003 or a and b`
is, whatever comes after OR, which binds least; and in the plan the number says which WHERE or
HAVING of the text the filter was.

Args: sql, ordinals (which of them, in the order of the text; none: all, to see them in the plan).
Returns: SQL text; without a change if it has a number that could be taken for that of a filter.
#}
{% macro _relax_predicates(sql, ordinals=none) %}
    {%- if ordinals == [] or dbt_mview._has_predicate_number(sql) -%} {{ return(sql) }}{%- endif -%}
    {%- set parts = dbt_mview._tokens(sql) | list -%}
    {%- set words = dbt_mview._predicate_words(parts) -%}
    {%- for ordinal in range(words | length) if ordinals is none or ordinal in ordinals -%}
        {%- set at, number = words[ordinal], dbt_mview._first_predicate_number() + ordinal -%}
        {%- set always = parts[at] ~ " " ~ number ~ " = " ~ number ~ " or" -%}
        {%- do parts.pop(at) -%} {%- do parts.insert(at, always) -%}
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
