{#
The day of a query: its current_date() as a literal, so that what is built by it stays true after
midnight, and can be followed within the day.
#}
{#
A query with the day in place of each current_date() and curdate(). The word without brackets may be
a column as well: it is replaced where only an expression can stand, and of them all or none.

Args: sql (string), day (string, 2026-11-28).
Returns: mapping sql (string), places (indexes of the literals among its words, see _words; empty:
    it is as it was), bare (bool: one of them had no brackets).
#}
{% macro _dated(sql, day) %}
    {%- set same = {"sql": sql, "places": [], "bare": false} -%}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set words = tokens[1::3] | map("lower") | list -%}
    {%- set parts, places = [], [] -%}
    {%- set at = namespace(next=0, words=0, bare=false) -%}
    {%- for index in range(words | length) if index >= at.next -%}
        {%- set call = words[index] in ["current_date", "curdate"] and words[
            index + 1 : index + 3
        ] == ["(", ")"] -%}
        {%- set bare = words[index] == "current_date" and not call -%}
        {%- if bare and words[index - 1] not in dbt_mview._words_before_expressions() -%}
            {{ return(same) }}
        {%- endif -%}
        {%- set end = index + (2 if call else 0) -%}
        {%- set dates = call or bare -%}
        {%- set word = "date " ~ dbt_mview._literal(day) if dates else tokens[3 * index + 1] -%}
        {%- do parts.extend([word, tokens[3 * end + 2]]) -%}
        {%- do places.extend([at.words + 1] if dates else []) -%}
        {%- set at.words = at.words + (2 if dates else 1) -%}
        {%- set at.next = end + 1 -%}
        {%- set at.bare = at.bare or bare -%}
    {%- endfor -%}
    {%- if not places -%} {{ return(same) }}{%- endif -%}
    {{ return({"sql": parts | join, "places": places, "bare": at.bare}) }}
{% endmacro %}


{#
A dated query with another day.

Args: sql (string), places (see _dated), day (string).
Returns: string, or none where no day stands in one of the places.
#}
{% macro _redated(sql, places, day) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set parts = tokens[:1] -%}
    {%- for index in range(tokens | length // 3) -%}
        {%- set word = tokens[3 * index + 1] -%}
        {%- set is_day = index in places -%}
        {%- if is_day and not modules.re.fullmatch("'\\d{4}-\\d\\d-\\d\\d'", word) -%}
            {{ return(none) }}
        {%- endif -%}
        {%- do parts.extend(
            [dbt_mview._literal(day) if is_day else word, tokens[3 * index + 2], ""]
        ) -%}
    {%- endfor -%}
    {{ return(parts | join) }}
{% endmacro %}


{# Returns: list of the words and signs after which an expression stands, and no alias. #}
{% macro _words_before_expressions() %}
    {{
        return(
            (
                "( , + - * / % < > = ! | & ^ select distinct all where on and or not having "
                ~ "qualify when then else case between in like by"
            ).split()
        )
    }}
{% endmacro %}


{#
Where a condition ends. A word that ends it and is a column's name here leaves a text that does not
parse, and so is refused by the engine.

Args: words (of the text, lower case), begin (its first one). Returns: index of the next word.
#}
{% macro _end_of_condition(words, begin) %}
    {%- set ends = "group order having window qualify limit offset union except minus setminus" -%}
    {%- set ends = (ends ~ " intersect sort cluster distribute lateral |> ;").split() -%}
    {%- set at = namespace(depth=0) -%}
    {%- for index in range(begin, words | length) -%}
        {%- set word = words[index] -%}
        {%- if at.depth == 0 and word in ends + [")"] -%} {{ return(index) }}
        {%- elif word == "(" -%} {%- set at.depth = at.depth + 1 -%}
        {%- elif word == ")" -%} {%- set at.depth = at.depth - 1 -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(words | length) }}
{% endmacro %}


{#
The text of one term.

Args: text, filters (see _dated_filters), number (of the one whose change it is), sign, days (then,
    now). Returns: SQL text.
#}
{% macro _with_day_of(text, filters, number, sign, days) %}
    {%- set tokens = dbt_mview._tokens(text) -%}
    {%- set day, old = dbt_mview._literal(days.now), dbt_mview._literal(days.then) -%}
    {%- set parts = [] -%}
    {%- set at = namespace(next=0) -%}
    {%- for filter in filters -%}
        {%- set now = tokens[filter.begin : filter.end] -%}
        {%- set then = [] -%}
        {%- for token in now -%}
            {%- do then.append(old if token == day else token) -%}
        {%- endfor -%}
        {%- set passes, not_yet = (now, then) if sign > 0 else (then, now) -%}
        {%- set differs = (
            " (\n" ~ passes
            | join ~ "\n) and not coalesce((\n" ~ not_yet
            | join ~ "\n), false)\n"
        ) -%}
        {%- set same = (now if loop.index0 < number else then) | join -%}
        {%- do parts.append(tokens[at.next : filter.begin] | join) -%}
        {%- do parts.append(differs if loop.index0 == number else same) -%}
        {%- set at.next = filter.end -%}
    {%- endfor -%}
    {{ return(parts | join ~ tokens[at.next :] | join) }}
{% endmacro %}
