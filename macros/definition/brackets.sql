{#
What _table_names knows at one level of brackets, a mapping:
    query      bool: FROM begins a list of tables here, unlike in extract(year from x)
    list       bool: a comma is followed by a table
    values     bool: rows of VALUES, without an alias so far
    argument   bool: arguments of a function in a FROM list
    with       the name that a WITH defines now, or none; recursive: its own query sees it
    body       bool: the query of that name
    hidden     list of the names that WITH has defined: they hide tables

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
        "body": false,
        "hidden": around["hidden"] if around else [],
    } -%}
    {#- A name of WITH may have a list of columns: (a) or (a, b. -#}
    {%- if around and around["with"] is not none and words[index + 2] not in [",", ")"] -%}
        {%- do level.update(body=true) -%}
        {%- if around["recursive"] -%}
            {%- do level.update(hidden=around["hidden"] + [around["with"]]) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(level) }}
{% endmacro %}


{# Args: words, index (of the bracket that closes), levels (the last is left). #}
{% macro _close_bracket(words, index, levels) %}
    {%- set left = levels.pop() if levels | length > 1 else levels[0] -%}
    {%- set here = levels[-1] -%}
    {%- if left["body"] -%}
        {%- set another = words[index + 1] == "," -%}
        {%- set name = dbt_mview._name_parts(words[index + 2]) | join if another else none -%}
        {%- do here.update({"hidden": here["hidden"] + [here["with"]], "with": name}) -%}
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
