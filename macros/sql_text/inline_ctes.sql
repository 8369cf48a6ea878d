{#
A query without its CTEs: each use becomes a subquery, so that the tables below it are occurrences
of their own. Spark's optimizer does the same with every CTE that is deterministic.
#}
{#
A query without its CTEs. All of them are inlined, or none: where one word is not understood, the
text stays as it is. That this reads the same tables in the same way is asked from the engine, see
_inlined_query.

Args: sql (with the texts of views in place). Returns: mapping
    sql   the text, or none: it has no CTE, or one that stays
    cte   name of the CTE that stays, as it is written, or none
    why   why it stays, or none
    many  bool: a CTE is not read once
    deep  bool: a CTE is in brackets, and a table is named twice
#}
{% macro _inline_ctes(sql) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set words = tokens[1::3] | map("lower") | list + ["", "", "", ""] -%}
    {%- set told = {"sql": none, "cte": none, "why": none, "many": false, "deep": false} -%}
    {%- set closing = dbt_mview._closing_brackets(words) -%}
    {%- set found = {"ctes": {}, "clauses": {}, "uses": {}, "texts": {}} -%}
    {%- for index in range(1, words | length - 4) if words[index] == "with" -%}
        {%- if words[index - 1] in ["", "("] and not told.why -%}
            {%- do told.update(dbt_mview._read_with(tokens, words, closing, index, found)) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if told.why or not found.clauses -%} {{ return(told) }}{%- endif -%}
    {%- set tables = [] -%}
    {%- for place in dbt_mview._named_places(tokens) -%}
        {%- set index = place.at // 3 -%}
        {%- if place.cte is none -%} {%- do tables.append(place.parts | join(".")) -%}
        {%- else -%}
            {%- do found.uses.update({index: place.cte}) -%}
            {%- set why = dbt_mview._why_cte_stays(words, place, found) -%}
            {%- if why -%} {{ return(dict(told, cte=tokens[place.at], why=why)) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set read = found.uses.values() | list -%}
    {%- for begin in found.ctes if read.count(begin) != 1 -%}
        {%- do told.update({"many": true}) -%}
    {%- endfor -%}
    {%- set twice = tables | unique | list | length < tables | length -%}
    {%- do told.update({"deep": twice and found.clauses.keys() | list != [1]}) -%}
    {%- set text = dbt_mview._without_with(tokens, 0, words | length - 4, found) -%}
    {%- if text is none -%}
        {%- set names = found.ctes.values() | map(attribute="name") | list -%}
        {%- set cte = found.get("long", names[-1]) -%}
        {{ return(dict(told, cte=cte, why="the query would be too long without it")) }}
    {%- endif -%}
    {{ return(dict(told, sql=text)) }}
{% endmacro %}


{#
Reads one WITH: `with a as (...), b (x, y) (...)`.

Args: tokens, words, closing (see _closing_brackets), index (of WITH), found. Sets found.ctes (index
    of the bracket that opens its query -> name, columns, end) and found.clauses (index of WITH ->
    index of its last bracket).
Returns: mapping cte, why; both none if all of it is understood.
#}
{% macro _read_with(tokens, words, closing, index, found) %}
    {%- set at = namespace(name=index + 1, end=none) -%}
    {%- for _ in words if at.end is none -%}
        {%- set name, begin = tokens[3 * at.name + 1], namespace(at=at.name + 1, columns="") -%}
        {%- if words[begin.at] == "(" and words[begin.at + 2] in [",", ")"] -%}
            {%- set last = closing.get(begin.at, begin.at) -%}
            {%- set begin.columns = " " ~ tokens[3 * begin.at + 1 : 3 * last + 2] | join -%}
            {%- set begin.at = last + 1 -%}
        {%- endif -%}
        {%- if words[begin.at] == "as" -%} {%- set begin.at = begin.at + 1 -%} {%- endif -%}
        {%- if words[begin.at] != "(" or begin.at not in closing -%}
            {%- set recursive = words[index + 1] == "recursive" -%}
            {%- set cte = tokens[3 * at.name + 4] if recursive else name -%}
            {%- set why = "it is recursive" if recursive else "its head is not understood" -%}
            {{ return({"cte": cte, "why": why}) }}
        {%- endif -%}
        {%- set end = closing[begin.at] -%}
        {%- do found.ctes.update(
            {begin.at: {"name": name, "columns": begin.columns, "end": end}}
        ) -%}
        {%- if words[end + 1] == "," -%} {%- set at.name = end + 2 -%}
        {%- else -%} {%- set at.end = end -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do found.clauses.update({index: at.end}) -%}
    {{ return({"cte": none, "why": none}) }}
{% endmacro %}


{#
Why a CTE cannot be a subquery where it is read.

Args: words, place (see _named_places), found (see _read_with). Returns: string, or none.
#}
{% macro _why_cte_stays(words, place, found) %}
    {%- set aliased = place.after == "as" or dbt_mview._is_alias(place.after) -%}
    {%- set alias = place.end // 3 + (2 if place.after == "as" else 1) -%}
    {%- set before_alias = (
        "tablesample with watermark version timestamp for system_version system_time pivot "
        ~ "unpivot match_recognize"
    ).split() -%}
    {%- if place.cte not in found.ctes -%} {{ return("it is recursive") }}
    {%- elif place.version is not none or place.after in before_alias -%}
        {{ return("it is read with " ~ (place.after if place.version is none else "version")) }}
    {%- elif place.table_at is not none -%} {{ return("it is read by TABLE") }}
    {%- elif not dbt_mview._is_name(place.after or "_") and place.after not in [",", ")"] -%}
        {{ return("it is read before " ~ place.after) }}
    {%- elif found.ctes[place.cte].columns and aliased and words[alias + 1] == "(" -%}
        {{ return("its columns are renamed twice") }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
A part of a query without WITH, and with the queries of CTEs where these are read.

Args: tokens, begin, end (indexes of words, without the last), found (see _inline_ctes).
Returns: SQL text, or none if it is too long for a statement that repeats it.
#}
{% macro _without_with(tokens, begin, end, found) %}
    {%- set parts, behind = [], {} -%}
    {%- set at = namespace(next=begin) -%}
    {%- for index in range(begin, end) if index >= at.next -%}
        {%- set token, gap = tokens[3 * index + 1], tokens[3 * index + 2] -%}
        {%- if index in found.clauses -%} {%- set at.next = found.clauses[index] + 1 -%}
        {%- elif index in found.uses -%}
            {%- set cte = found.ctes[found.uses[index]] -%}
            {%- set text = dbt_mview._text_of_cte(tokens, found.uses[index], found) -%}
            {%- if text is none -%} {{ return(none) }}
            {%- endif -%}
            {%- set after = tokens[3 * index + 4] | lower -%}
            {%- if after == "as" -%} {%- do behind.update({index + 2: cte.columns}) -%}
            {%- elif dbt_mview._is_alias(after) -%}
                {%- do behind.update({index + 1: cte.columns}) -%}
            {%- else -%} {%- set text = text ~ " as " ~ token ~ cte.columns -%}
            {%- endif -%}
            {%- do parts.append(text ~ (gap or " ")) -%}
        {%- else -%} {%- do parts.append(token ~ behind.get(index, "") ~ gap) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set text = parts | join -%}
    {{ return(text if text | length <= 40000 else none) }}
{% endmacro %}


{# The query of a CTE in brackets. Args: as _without_with, begin (its bracket). Sets found. #}
{% macro _text_of_cte(tokens, begin, found) %}
    {%- if begin not in found.texts -%}
        {%- set text = dbt_mview._without_with(tokens, begin, found.ctes[begin].end, found) -%}
        {%- if text is none -%}
            {%- do found.setdefault("long", found.ctes[begin].name) -%}
        {%- endif -%}
        {%- do found.texts.update({begin: none if text is none else text ~ ")"}) -%}
    {%- endif -%}
    {{ return(found.texts[begin]) }}
{% endmacro %}
