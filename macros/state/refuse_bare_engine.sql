{#
Refuses to begin state in a Spark whose settings lack Delta's extension: Delta then creates tables
that nobody can read. What else is missing, the engine says by itself (docs/operations.md). Spark
puts a setting's value in the place of its name, nothing where it is not set.

Errors: spark.sql.extensions is not set.
#}
{% macro _refuse_bare_engine() %}
    {%- if target.type == "databricks" -%} {{ return(none) }}{%- endif -%}
    {%- set value = dbt_mview._read(
        "extensions", "select '${spark.sql.extensions}' as extensions"
    ).rows[0][0] -%}
    {%- if not value -%}
        {%- do dbt_mview._raise(
            "this engine",
            "spark.sql.extensions is not set, and without Delta's extension nobody can read a"
            ~ " table that Delta creates.",
            "Set it to io.delta.sql.DeltaSparkSessionExtension before Spark starts; README.md has"
            ~ " all settings.",
        ) -%}
    {%- endif -%}
{% endmacro %}
