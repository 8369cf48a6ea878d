{#
What the catalog has: schemas, tables by a pattern, and whether a name is a view, a Delta table or
something else. The catalog is asked, never dbt's cache.
#}
{#
Args: schema, identifier (strings), catalog (string, or none: the current one).
Returns: string: missing, view, delta or the provider of the table, lower case.
#}
{% macro _kind_of(schema, identifier, catalog=none) %}
    {%- if not dbt_mview._schema_is_there(schema, catalog) -%} {{ return("missing") }}{%- endif -%}
    {%- set pattern = modules.re.sub("[^\\w]", ".", identifier) -%}
    {%- set rows = dbt_mview._read(
        "catalog",
        "show table extended in "
        ~ dbt_mview._schema_in(catalog, schema)
        ~ " like "
        ~ dbt_mview._literal(pattern),
    ).rows -%}
    {%- for row in rows if row[1] | lower == identifier | lower -%}
        {#- The first lines of their kind: the table's comment follows and may hold others. -#}
        {%- set type = modules.re.search("(?m)^Type: (\\S+)", row[3]) -%}
        {%- if type and type.group(1) == "VIEW" -%} {{ return("view") }}{%- endif -%}
        {%- set provider = modules.re.search("(?m)^Provider: (\\S+)", row[3]) -%}
        {{ return((provider.group(1) if provider else "table") | lower) }}
    {%- endfor -%}
    {{ return("missing") }}
{% endmacro %}


{#
As _kind_of, in any catalog: of those that are not Spark's own no more is known than whether a name
can be read.

Args: name (catalog.schema.identifier). Returns: string, see _kind_of; delta for all that can be.
#}
{% macro _kind_at(name) %}
    {%- set catalog, schema, identifier = name.split(".", 2) -%}
    {%- if catalog == "spark_catalog" -%}
        {{ return(dbt_mview._kind_of(schema, identifier)) }}
    {%- endif -%}
    {%- set sql = "select 1 from " ~ dbt_mview._quoted_name(name) ~ " where false" -%}
    {{ return("delta" if dbt_mview._succeeds("is_there", sql) else "missing") }}
{% endmacro %}


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
        {%- if name | lower == schema | lower -%} {{ return(true) }}{%- endif -%}
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
    {%- if schema in dbt_mview._memory().new_schemas -%} {{ return([]) }}{%- endif -%}
    {%- set rows = dbt_mview._read(
        "tables",
        "show tables in "
        ~ dbt_mview._quote(schema)
        ~ " like "
        ~ dbt_mview._literal(pattern),
    ).rows -%}
    {%- set names = [] -%}
    {%- for row in rows -%} {%- do names.append(row[1] | lower) -%} {%- endfor -%}
    {{ return(names) }}
{% endmacro %}
