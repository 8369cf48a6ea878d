{#
Spark SQL as tokens, by the rules of Spark's lexer, its brackets, and the subqueries in these. All
that reads or changes a user's query works on tokens; nothing searches the text itself.
#}
{#
Splits Spark SQL by the rules of Spark's lexer.

Args: sql (string). Returns: flat list of strings that join back to the same text, three for
    each token: nothing, the token (a literal, a number, a name with its dots, one other
    character), the blanks and comments after it. The first token and the last are empty.
#}
{% macro _tokens(sql) %}
    {#- No text matches a gap in two ways: the search for a dot in a name stays linear. -#}
    {%- set inside = "[^*/]|\\*(?!/)|/(?!\\*(?!\\+))" -%}
    {%- set comment = "/\\*(?:" ~ inside ~ ")*\\*/" -%}
    {%- set comment = "/\\*(?:" ~ inside ~ "|" ~ comment ~ ")*\\*/" -%}
    {%- set comment = "/\\*(?:" ~ inside ~ "|" ~ comment ~ ")*\\*/" -%}
    {%- set line = "--(?:\\\\\\n|\\\\(?!\\n)|[^\\\\\\n\\r])*(?=[\\n\\r]|\\Z)" -%}
    {%- set gap = "(?:\\s|" ~ line ~ "|" ~ comment ~ ")*" -%}
    {%- set name = "(?:`(?:[^`]|``)*`|\\w+)" -%}
    {%- set token = [
        "[rR](?:'[^']*'|\"[^\"]*\")",
        "'(?:\\\\.|[^'\\\\])*'",
        '"(?:\\\\.|[^"\\\\])*"',
        "\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+)?(?:[lLsSyYdDfF]|[bB][dD])?(?!\\w)",
        name ~ "(?:" ~ gap ~ "\\." ~ gap ~ name ~ ")*",
        "\\|>",
        ".",
    ] | join("|") -%}
    {{ return(modules.re.split("(?s)(\\A|" ~ token ~ "|\\Z)(" ~ gap ~ ")", sql)) }}
{% endmacro %}


{# Every token of a text, without blanks and comments. Args: sql (string). Returns: list. #}
{% macro _words(sql) %} {{ return(dbt_mview._tokens(sql)[1::3]) }} {% endmacro %}


{#
A query without the semicolons, comments and blanks at its end, so that it fits in brackets.

Args: sql (string). Returns: string.
#}
{% macro _strip_end(sql) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set last = namespace(index=0) -%}
    {%- for token in tokens[1::3] -%}
        {%- if token not in ["", ";"] -%} {%- set last.index = loop.index0 -%} {%- endif -%}
    {%- endfor -%}
    {{ return((tokens[: 3 * last.index + 2] | join).strip()) }}
{% endmacro %}


{#
A name as it is written, split: blanks, comments and backticks away, lower case, as Spark
resolves it.

Args: token (string). Returns: list of strings.
#}
{% macro _name_parts(token) %}
    {%- set parts = [] -%}
    {%- for part in modules.re.findall("(?s)`(?:[^`]|``)*`|--[^\\n]*|/\\*.*?\\*/|\\w+", token) -%}
        {%- if part.startswith("`") -%}
            {%- do parts.append(part[1:-1].replace("``", "`") | lower) -%}
        {%- elif not part.startswith(("-", "/")) -%} {%- do parts.append(part | lower) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(parts) }}
{% endmacro %}


{# Whether a word is a name, not a literal or a sign. Args: word (string). Returns: bool. #}
{% macro _is_name(word) %} {{ return(modules.re.match("[\\w`]", word) is not none) }} {% endmacro %}


{# Whether the word after a table's name gives it an alias. Args: word (string). Returns: bool. #}
{% macro _is_alias(word) %}
    {%- set not_alias = (
        "where group having order limit offset union minus except intersect window qualify sort "
        ~ "cluster distribute lateral pivot unpivot join inner left right full cross natural semi "
        ~ "anti on using select"
    ).split() -%}
    {{ return(dbt_mview._is_name(word) and word not in not_alias) }}
{% endmacro %}


{# Args: words. Returns: mapping index of a bracket that opens -> index of the one that closes. #}
{% macro _closing_brackets(words) %}
    {%- set open, closing = [], {} -%}
    {%- for word in words -%}
        {%- if word == "(" -%} {%- do open.append(loop.index0) -%}
        {%- elif word == ")" and open -%} {%- do closing.update({open.pop(): loop.index0}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(closing) }}
{% endmacro %}


{#
Where a query has a subquery in the place of a table, where IN asks one, and where one is a value.

Args: tokens (see _tokens). Returns: mapping index of the bracket that opens it (a word) -> table,
    in or value; those around others first.
#}
{% macro _subqueries(tokens) %}
    {%- set words = tokens[1::3] | map("lower") | list + [""] -%}
    {%- set closing = dbt_mview._closing_brackets(words) -%}
    {%- set places, found = {}, {} -%}
    {%- do dbt_mview._named_places(tokens, places) -%}
    {#- What makes a larger query of one in brackets. -#}
    {%- set part = "union except minus setminus intersect order sort cluster distribute limit" -%}
    {%- set part = (part ~ " offset window |>").split() -%}
    {%- for index in places if index in closing -%}
        {%- set at = namespace(begin=index) -%}
        {%- for _ in words if words[at.begin - 1] == "(" and at.begin - 1 in closing -%}
            {%- if words[closing[at.begin] + 1] in part + [")"] -%}
                {%- set at.begin = at.begin - 1 -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if words[at.begin - 1] != "lateral" -%}
            {%- do found.update({at.begin: "table"}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set others = part + ["", "exists", "any", "some", "all", "distinct", "lateral", "table"] -%}
    {%- for index in closing if words[index + 1] == "select" and index not in places -%}
        {%- if words[index - 1] == "in" -%} {%- do found.update({index: "in"}) -%}
        {%- elif words[index - 1] not in others -%}
            {%- set in_part = words[index - 1] == "(" and words[closing[index] + 1] in part -%}
            {%- if not in_part -%} {%- do found.update({index: "value"}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dict(found | dictsort)) }}
{% endmacro %}


{#
Whether a subquery's alias names its columns, `(select ...) as a (b, c)`.

Args: tokens, end (index of the word that closes it). Returns: bool.
#}
{% macro _names_columns(tokens, end) %}
    {%- set words = (
        tokens[1::3][end + 1 : end + 4] | map("lower") | reject("equalto", "as") | list
    ) -%}
    {{ return(words | length > 1 and dbt_mview._is_alias(words[0]) and words[1] == "(") }}
{% endmacro %}
