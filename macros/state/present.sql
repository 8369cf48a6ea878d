{#
Whether a schema is there.

Args: schema (string), catalog (string, or none: the current one). Returns: bool.
#}
{% macro _has_schema(schema, catalog=none) %}
    {%- set pattern = modules.re.sub("[^\\w]", ".", schema) -%}
    {%- set rows = dbt_mview._read(
        "schemas",
        "show schemas "
        ~ ("in " ~ dbt_mview._quote(catalog) ~ " " if catalog else "")
        ~ "like "
        ~ dbt_mview._literal(pattern),
    ).rows -%}
    {%- for row in rows -%}
        {#- Spark quotes a name that is no plain word. -#}
        {%- set name = row[0][1:-1].replace("``", "`") if row[0].startswith("`") else row[0] -%}
        {%- if name | lower == schema | lower -%}{{ return(true) }}{%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# As _has_schema, asked once in an invocation. #}
{% macro _schema_is_there(schema, catalog=none) %}
    {%- set known = dbt_mview._memory().schemas -%}
    {%- set name = dbt_mview._schema_in(catalog, schema) | lower -%}
    {%- if name in known -%} {{ return(true) }}{%- endif -%}
    {%- if not dbt_mview._has_schema(schema, catalog) -%} {{ return(false) }}{%- endif -%}
    {%- do known.append(name) -%}
    {{ return(true) }}
{% endmacro %}


{#
Args: schema (string), pattern (string, * for any text).
Returns: list of table names, lower case; none in a schema that this invocation found missing.
#}
{% macro _tables_like(schema, pattern) %}
    {%- if schema in dbt_mview._memory().new_schemas -%}{{ return([]) }}{%- endif -%}
    {%- set rows = dbt_mview._read(
        "tables",
        "show tables in " ~ dbt_mview._quote(schema) ~ " like " ~ dbt_mview._literal(pattern),
    ).rows -%}
    {%- set names = [] -%}
    {%- for row in rows -%}{%- do names.append(row[1] | lower) -%}{%- endfor -%}
    {{ return(names) }}
{% endmacro %}
