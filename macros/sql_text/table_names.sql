{#
Where a query names its tables. This is no parser: the plan says how many names there must be, and a
query in which they are not found is not bound.
#}
{#
Where a query names its tables: after FROM, JOIN, a comma in a FROM list, or TABLE as a query,
at any depth. Left out are functions, names of a WITH where it hides tables (see _bracket)
and names with a time travel of their own, but for `version as of 5`. This is no parser: if it
misses a table, or takes something else for one, the number of occurrences differs from the
engine's (see _bindings).

Args: tokens (see _tokens). Returns: list of mappings: at (index of the token), parts (see
    _name_parts), version (of its own time travel, or none), end (index of the last token of name
    and time travel), after (the word after that), table_at (index of a TABLE that makes the name
    a query, or none).
#}
{% macro _table_names(tokens) %}
    {{ return(dbt_mview._named_places(tokens) | rejectattr("cte") | list) }}
{% endmacro %}


{#
As _table_names, with the uses of CTEs.

Args: tokens (see _tokens), subqueries (mapping, gets those in place of tables, see _subqueries).
Returns: as _table_names, each with cte: index of the word that opens the query of the CTE that is
    meant there (-1: it reads itself), or none of a table.
#}
{% macro _named_places(tokens, subqueries={}) %}
    {%- set words = tokens[1::3] | map("lower") | list + ["", "", "", ""] -%}
    {%- set ends_list = (
        "where group having order limit offset union minus except intersect setminus window "
        ~ "qualify sort cluster distribute lateral select |>"
    ).split() -%}
    {%- set watched = ends_list + "( ) , from join table with".split() -%}
    {%- set before_table = ["", "("] + "union all distinct except minus intersect".split() -%}
    {%- set names = [] -%}
    {%- set levels = [dbt_mview._bracket(words, 0, none, false)] -%}
    {%- set next = {"is_table": false, "is_argument": false, "table_at": none} -%}
    {#- The condition is evaluated at each word, after the word before it. -#}
    {%- for index in range(words | length - 4) if next["is_table"] or words[index] in watched -%}
        {%- set word = words[index] -%}
        {%- set before = words[index - 1] -%}
        {%- set after = words[index + 1] -%}
        {%- set here = levels[-1] -%}
        {%- if word == "(" -%}
            {%- set inner = dbt_mview._bracket(words, index, here, next["is_argument"]) -%}
            {%- do levels.append(inner) -%}
            {%- if next["is_table"] or next["is_argument"] -%}
                {%- if next["is_table"] and inner["query"] -%}
                    {%- do subqueries.update({index: "table"}) -%}
                {%- endif -%}
                {%- do next.update(is_table=not (inner["query"] or inner["argument"])) -%}
                {%- do next.update(is_argument=false) -%}
            {%- endif -%}
        {%- elif word == ")" -%}
            {%- do dbt_mview._close_bracket(words, index, levels) -%}
            {%- do next.update(is_table=false) -%}
        {%- elif word == "table" and before in before_table and not here["argument"] -%}
            {%- if dbt_mview._is_name(after) -%}
                {%- do next.update(is_table=true, table_at=3 * index + 1) -%}
            {%- endif -%}
        {%- elif next["is_table"] -%}
            {%- if word == "values" -%} {%- do here.update({"list": false, "values": true}) -%}
            {%- endif -%}
            {%- do names.extend(dbt_mview._table_name(words, index, here, next["table_at"])) -%}
            {%- set lateral = word == "lateral" -%}
            {%- set is_argument = after == "(" and not lateral -%}
            {%- do next.update(is_table=lateral, is_argument=is_argument, table_at=none) -%}
        {%- elif before in ["as", ".", ":"] -%}
        {%- elif word in [",", "join"] -%}
            {%- if word == "join" or here["list"] -%} {%- do next.update(is_table=true) -%}
            {%- endif -%}
        {%- elif word == "from" -%}
            {%- if here["query"] and before != "distinct" -%}
                {%- do here.update(list=true) -%} {%- do next.update(is_table=true) -%}
            {%- endif -%}
        {%- elif word == "with" -%}
            {%- if before in ["", "("] -%} {%- do dbt_mview._begin_with(words, index, here) -%}
            {%- endif -%}
        {%- elif word in ends_list and after not in [",", ")", ""] -%}
            {%- do here.update(list=false, query=here["query"] or word == "select") -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(names) }}
{% endmacro %}


{# A word where a table may be named, as a list of one mapping of _named_places, or of none. #}
{% macro _table_name(words, index, here, table_at) %}
    {%- set word = words[index] -%}
    {%- set after = words[index + 1] -%}
    {%- set travel = "(for )?(version|timestamp|system_version|system_time) as of\\b" -%}
    {%- set behind = words[index + 1 : index + 5] | join(" ") -%}
    {%- set own = modules.re.fullmatch("version as of (\\d+)", behind) -%}
    {%- set travels = not own and modules.re.match(travel, behind) -%}
    {%- set is_name = word not in ["values", "lateral"] and dbt_mview._is_name(word) -%}
    {%- set parts = (
        dbt_mview._name_parts(word) if is_name and after != "(" and not travels else []
    ) -%}
    {%- if not parts -%} {{ return([]) }}{%- endif -%}
    {%- set last = index + 4 if own else index -%}
    {{
        return(
            [
                {
                    "at": 3 * index + 1,
                    "parts": parts,
                    "version": own.group(1) | int if own else none,
                    "end": 3 * last + 1,
                    "after": words[last + 1],
                    "table_at": table_at,
                    "cte": here["hidden"].get(parts[0]) if parts | length == 1 else none,
                }
            ]
        )
    }}
{% endmacro %}


{#
What _table_names knows at one level of brackets, a mapping:
    query      bool: FROM begins a list of tables here, unlike in extract(year from x)
    list       bool: a comma is followed by a table
    values     bool: rows of VALUES, without an alias so far
    argument   bool: arguments of a function in a FROM list
    with       the name that a WITH defines now, or none; recursive: its own query sees it
    body       index of the bracket, if it opens the query of that name; else none
    hidden     names that WITH has defined, which hide tables -> see cte of _named_places

Args: words (list of strings), index (of the bracket that opens), around (the level around it,
    none for the query as a whole), argument (bool). Returns: mapping.
#}
{% macro _bracket(words, index, around, argument) %}
    {%- set query = (
        words[index + 1] in ["select", "from", "with"] and words[index - 1] != "trim"
    ) -%}
    {%- set level = {
        "query": query or around is none,
        "list": false,
        "values": false,
        "argument": argument,
        "with": none,
        "recursive": false,
        "body": none,
        "hidden": around["hidden"] if around else {},
    } -%}
    {#- A name of WITH may have a list of columns: (a) or (a, b. -#}
    {%- if around and around["with"] is not none and words[index + 2] not in [",", ")"] -%}
        {%- do level.update(body=index) -%}
        {%- if around["recursive"] -%}
            {%- do level.update(hidden=dict(around["hidden"], **{around["with"]: -1})) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(level) }}
{% endmacro %}


{# Args: words, index (of the bracket that closes), levels (the last is left). #}
{% macro _close_bracket(words, index, levels) %}
    {%- set left = levels.pop() if levels | length > 1 else levels[0] -%}
    {%- set here = levels[-1] -%}
    {%- if left["body"] is not none -%}
        {%- set another = words[index + 1] == "," -%}
        {%- set name = dbt_mview._name_parts(words[index + 2]) | join if another else none -%}
        {%- set hidden = dict(here["hidden"], **{here["with"]: left["body"]}) -%}
        {%- do here.update({"hidden": hidden, "with": name}) -%}
    {%- elif here["values"] and words[index + 1] not in [",", ")", ""] -%}
        {#- The alias of VALUES: from here on a comma ends the rows. -#}
        {%- do here.update(list=true) -%}
    {%- endif -%}
{% endmacro %}


{# Args: words, index (of WITH), here (its level). #}
{% macro _begin_with(words, index, here) %}
    {%- set recursive = words[index + 1] == "recursive" and words[index + 2] not in ["as", "("] -%}
    {%- set name = words[index + 2 if recursive else index + 1] -%}
    {%- do here.update({"with": dbt_mview._name_parts(name) | join, "recursive": recursive}) -%}
{% endmacro %}
