{#
What DESCRIBE DETAIL says of a table. It counts the table's files, for which Delta reads the whole
list of them after each new version: for what nothing cheaper tells, see _delta_properties.

Args: name (quoted SQL name).
Returns: row (id, properties, description, numFiles, sizeInBytes, ...).
#}
{% macro _delta_detail(name) %}
    {{ return(dbt_mview._read("describe_detail", "describe detail " ~ name).rows[0]) }}
{% endmacro %}
