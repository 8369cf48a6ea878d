{#
The properties of a Delta table. DESCRIBE DETAIL says them as well, but counts the table's files,
see _delta_detail; this reads none.

Args: name (quoted SQL name). Returns: mapping, or none if it is no Delta table.
#}
{% macro _delta_properties(name) %}
    {%- set found = {} -%}
    {%- for row in dbt_mview._read("properties", "show tblproperties " ~ name).rows -%}
        {%- do found.update({row[0]: row[1]}) -%}
    {%- endfor -%}
    {#- Of its protocol: Delta shows it for each of its tables. -#}
    {{ return(found if "delta.minReaderVersion" in found else none) }}
{% endmacro %}


{#
The same, each as it is. SHOW TBLPROPERTIES hides what looks like a secret (`token`, `url`, what
spark.redaction.regex says) in a name or a value, such as the name of a table; DESCRIBE DETAIL
does not.

Args: name (quoted SQL name of a Delta table). Returns: mapping.
#}
{% macro _unhidden_properties(name) %}
    {%- set found = dbt_mview._delta_properties(name) or {} -%}
    {%- for value in found.values() if "(redacted)" in value -%}
        {{ return(dbt_mview._mapping(dbt_mview._delta_detail(name)["properties"])) }}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
