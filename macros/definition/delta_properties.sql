{#
The properties of a Delta table. DESCRIBE DETAIL says them as well, but counts the table's files,
for which Delta reads the whole list of them after each new version; this reads none.

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
