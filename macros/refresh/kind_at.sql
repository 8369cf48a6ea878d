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
