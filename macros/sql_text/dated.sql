{#
The times of a query: its current_date() and current_timestamp() as literals, so that what is built
by them stays true later, and can be followed from one time to another.
#}
{#
A query with the day in place of each current_date() and curdate(), and the moment in place of each
current_timestamp() and now(). A word without brackets may be a column as well: it is replaced where
only an expression can stand, and of all words all or none.

Args: sql (string), day (string, 2026-11-28), moment (string, 2026-11-28 09:30:00.000000Z; none:
    what asks for it stays).
Returns: mapping sql (string), places (indexes of the days among its words, see _words), moments (of
    the moments; both empty: it is as it was), bare (list of the words without brackets).
#}
{% macro _dated(sql, day, moment=none) %}
    {%- set same = {"sql": sql, "places": [], "moments": [], "bare": []} -%}
    {%- set literals = {"current_date": "date " ~ dbt_mview._literal(day)} -%}
    {%- do literals.update({"curdate": literals.current_date}) -%}
    {%- if moment is not none -%}
        {%- set literal = "timestamp " ~ dbt_mview._literal(moment) -%}
        {%- do literals.update({"current_timestamp": literal, "now": literal}) -%}
    {%- endif -%}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set words = tokens[1::3] | map("lower") | list -%}
    {%- set parts, places, moments, without = [], [], [], [] -%}
    {%- set at = namespace(next=0, words=0) -%}
    {%- for index in range(words | length) if index >= at.next -%}
        {%- set word, after = words[index], words[index + 1 : index + 3] -%}
        {%- set call = word in literals and after == ["(", ")"] -%}
        {%- set bare = word.startswith("current_") and word in literals and not call -%}
        {%- if bare and words[index - 1] not in dbt_mview._words_before_expressions() -%}
            {{ return(same) }}
        {%- endif -%}
        {%- set end = index + (2 if call else 0) -%}
        {%- set asks = call or bare -%}
        {%- set text = literals[word] if asks else tokens[3 * index + 1] -%}
        {%- do parts.extend([text, tokens[3 * end + 2]]) -%}
        {%- set found = places if word in ["current_date", "curdate"] else moments -%}
        {%- do found.extend([at.words + 1] if asks else []) -%}
        {%- do without.extend([word] if bare and word not in without else []) -%}
        {%- set at.words = at.words + (2 if asks else 1) -%}
        {%- set at.next = end + 1 -%}
    {%- endfor -%}
    {%- if not places + moments -%} {{ return(same) }}{%- endif -%}
    {%- set sql = parts | join -%}
    {{ return({"sql": sql, "places": places, "moments": moments, "bare": without}) }}
{% endmacro %}


{#
A dated query with another day and moment.

Args: sql (string), was (mapping places, moments: see _dated; the latter may lack), times (mapping
    day, moment; the latter may lack).
Returns: string, or none where no such literal stands in one of the places.
#}
{% macro _redated(sql, was, times) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set moments = was.get("moments") or [] -%}
    {%- set parts = tokens[:1] -%}
    {%- for index in range(tokens | length // 3) -%}
        {%- set word = tokens[3 * index + 1] -%}
        {%- set time = none -%}
        {%- if index in was.places -%} {%- set time = times.day -%}
        {%- elif index in moments -%} {%- set time = times.get("moment") -%}
        {%- endif -%}
        {%- set is_time = modules.re.fullmatch("'\\d{4}-\\d\\d-\\d\\d[0-9 :.Z]*'", word) -%}
        {%- if time and not is_time -%} {{ return(none) }}{%- endif -%}
        {%- do parts.extend(
            [dbt_mview._literal(time) if time else word, tokens[3 * index + 2], ""]
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
Where a condition ends: at a word that begins what comes after it, and that is no column's name, as
it is after an operator.

Args: words (of the text, lower case), begin (its first one). Returns: index of the next word.
#}
{% macro _end_of_condition(words, begin) %}
    {%- set ends = "group order having window qualify limit offset union except minus setminus" -%}
    {%- set ends = (ends ~ " intersect sort cluster distribute lateral |> ;").split() -%}
    {%- set names = dbt_mview._words_before_expressions() + "from div rlike . [ :".split() -%}
    {%- set at = namespace(depth=0) -%}
    {%- for index in range(begin, words | length) -%}
        {%- set word = words[index] -%}
        {%- if at.depth == 0 and word == ")" -%} {{ return(index) }}
        {%- elif at.depth == 0 and word in ends and words[index - 1] not in names -%}
            {{ return(index) }}
        {%- elif word in ["(", "["] -%} {%- set at.depth = at.depth + 1 -%}
        {%- elif word in [")", "]"] -%} {%- set at.depth = at.depth - 1 -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(words | length) }}
{% endmacro %}


{#
The text of one term.

Args: text, filters (see _dated_filters), number (of the one whose change it is), sign, literals
    (mapping now -> then). Returns: SQL text.
#}
{% macro _with_times_of(text, filters, number, sign, literals) %}
    {%- set tokens = dbt_mview._tokens(text) -%}
    {%- set parts = [] -%}
    {%- set at = namespace(next=0) -%}
    {%- for filter in filters -%}
        {%- set now = tokens[filter.begin : filter.end] -%}
        {%- set then = [] -%}
        {%- for token in now -%} {%- do then.append(literals.get(token, token)) -%} {%- endfor -%}
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
