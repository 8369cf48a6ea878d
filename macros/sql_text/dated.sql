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
