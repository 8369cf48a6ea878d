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
