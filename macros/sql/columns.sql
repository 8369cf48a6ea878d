{# Columns as they are fed. Args: columns (list of name, expression). Returns: SQL text. #}
{% macro _select_list(columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set fed = column.expression -%}
        {%- do items.append(name if fed == name else fed ~ " as " ~ name) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{#
Columns for a new table. A text that is taken as it is from a VARCHAR(n) gives the table that
length, which no DESCRIBE of a query shows, and which stays when the source gets another.

Args: columns (list of name, type, expression). Returns: the same, texts without a length.
#}
{% macro _without_lengths(columns) %}
    {%- set found = [] -%}
    {%- for column in columns -%}
        {%- set has_text = "string" in column.type and " collate " not in column.type -%}
        {%- if has_text and dbt_mview._is_printed_whole(column.type) -%}
            {%- set text = "cast(" ~ column.expression ~ " as " ~ column.type ~ ")" -%}
            {%- do found.append(dict(column, expression=text)) -%}
        {%- else -%} {%- do found.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# A type for a statement: a session may take `timestamp` for one without a zone. Args: type. #}
{% macro _written_type(type) %}
    {{ return("timestamp_ltz" if type == "timestamp" else type) }}
{% endmacro %}


{# Args: columns (list of name, type), name. Returns: string, the type of one of them. #}
{% macro _type_of(columns, name) %}
    {{ return((columns | selectattr("name", "equalto", name) | first).type) }}
{% endmacro %}


{# Args: alias, names (list of columns). Returns: SQL text. #}
{% macro _prefixed(alias, names) %}
    {%- set items = [] -%}
    {%- for name in names -%}
        {%- do items.append(alias ~ "." ~ dbt_mview._quote(name)) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{# Columns get another row's values. Args: alias (of that row), names. Returns: SQL text. #}
{% macro _assigned(alias, names) %}
    {%- set items = [] -%}
    {%- for name in names -%}
        {%- set quoted = dbt_mview._quote(name) -%}
        {%- do items.append(quoted ~ " = " ~ alias ~ "." ~ quoted) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{# A NULL-safe join over keys. Args: left, right (aliases), keys. Returns: SQL condition. #}
{% macro _same_keys(left, right, keys) %}
    {%- set parts = [] -%}
    {%- for key in keys -%}
        {%- set name = dbt_mview._quote(key) -%}
        {%- do parts.append(left ~ "." ~ name ~ " <=> " ~ right ~ "." ~ name) -%}
    {%- endfor -%}
    {{ return(parts | join(" and ") or "true") }}
{% endmacro %}
