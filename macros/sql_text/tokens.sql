{#
Spark SQL as tokens, by the rules of Spark's lexer. All that reads or changes a user's query works
on these; nothing searches the text itself.
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
