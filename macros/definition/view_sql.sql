{#
A view's text as a subquery with the view's own names and types, as Spark resolves a view.

Args: sql (string), columns (list of mappings: name, type, source). Returns: SQL text.
#}
{% macro _view_sql(sql, columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set item = dbt_mview._quote(column.source) -%}
        {#- DESCRIBE cuts long structs and quotes no field: nested types are no SQL. -#}
        {#- A cast takes away what pads a CHAR. -#}
        {%- if "<" not in column.type and not column.type.startswith("char(") -%}
            {%- set item = "cast(" ~ item ~ " as " ~ dbt_mview._written_type(column.type) ~ ")" -%}
        {%- endif -%}
        {%- do items.append(item ~ " as " ~ dbt_mview._quote(column.name)) -%}
    {%- endfor -%}
    {{ return("(select " ~ items | join(", ") ~ " from (\n" ~ sql ~ "\n))") }}
{% endmacro %}
