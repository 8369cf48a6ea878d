{# Args: columns, change (used: see _used_columns). Returns: those that the query uses. #}
{% macro _those_used(columns, change) %}
    {%- if not change.get("used") -%} {{ return(columns) }}{%- endif -%}
    {%- set used = change.used | map("lower") | list -%}
    {%- set found = [] -%}
    {%- for column in columns if column.name | lower in used -%}
        {%- do found.append(column) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Fails on a text that the feed may not give as it is.

Args: columns (that are read), change (relation). Returns: SQL condition, or none without texts.
#}
{% macro _whole_texts_sql(columns, change) %}
    {%- set texts = [] -%}
    {%- for column in columns if "string" in column.type -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set plain = column.type == "string" -%}
        {%- do texts.append(name if plain else "cast(" ~ name ~ " as string)") -%}
    {%- endfor -%}
    {%- set error = (
        "dbt_mview: U+FFFD in a text of "
        ~ change.relation
        ~ ", which its feed gives for what is no UTF-8, too: use refresh auto or --full-refresh"
    ) -%}
    {%- if not texts -%} {{ return(none) }}{%- endif -%}
    {{
        return(
            "case when contains(concat_ws('', "
            ~ texts | join(", ")
            ~ "), decode(x'EFBFBD', 'utf-8')) then raise_error("
            ~ dbt_mview._literal(error)
            ~ ") else true end"
        )
    }}
{% endmacro %}
