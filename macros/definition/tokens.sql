{#
Splits Spark SQL into tokens that join back to the same text: whitespace, comments, literals,
numbers, names (with their dots) and single other characters.

Args: sql (string). Returns: list of strings.
#}
{% macro _tokens(sql) %}
    {%- set name = "(?:`(?:[^`]|``)*`|\\w+)" -%}
    {%- set pattern = "|".join([
        "\\s+",
        "--(?:\\\\\\n|[^\\n\\r])*",
        "/\\*(?:/\\*(?:(?!\\*/).)*\\*/|(?!\\*/).)*\\*/",
        "[rR]'[^']*'",
        "[rR]\"[^\"]*\"",
        "'(?:\\\\.|[^'\\\\])*'",
        "\"(?:\\\\.|[^\"\\\\])*\"",
        "\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+)?[A-Za-z]{0,2}(?!\\w)",
        name ~ "(?:\\s*\\.\\s*" ~ name ~ ")*",
        ".",
    ]) -%}
    {{ return(modules.re.compile(pattern, modules.re.DOTALL).findall(sql)) }}
{% endmacro %}


{# Whether a token is whitespace or a comment. Args: token (string). Returns: bool. #}
{% macro _is_blank(token) %}
    {{ return(token.isspace() or token.startswith("--") or token.startswith("/*")) }}
{% endmacro %}


{#
A query without the semicolons, comments and blanks at its end, so that it fits in brackets.

Args: sql (string). Returns: string.
#}
{% macro _strip_end(sql) %}
    {%- set kept = namespace(tokens=dbt_mview._tokens(sql)) -%}
    {%- set last = namespace(index=-1) -%}
    {%- for token in kept.tokens -%}
        {%- if token != ";" and not dbt_mview._is_blank(token) -%}
            {%- set last.index = loop.index0 -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return((kept.tokens[: last.index + 1] | join("")).strip()) }}
{% endmacro %}


{#
A name as it is written, split: blanks and backticks away, lower case, as Spark resolves it.

Args: token (string). Returns: list of strings.
#}
{% macro _name_parts(token) %}
    {%- set parts = [] -%}
    {%- for part in modules.re.findall("`(?:[^`]|``)*`|\\w+", token) -%}
        {%- if part.startswith("`") -%}
            {%- set part = part[1:-1].replace("``", "`") -%}
        {%- endif -%}
        {%- do parts.append(part | lower) -%}
    {%- endfor -%}
    {{ return(parts) }}
{% endmacro %}
