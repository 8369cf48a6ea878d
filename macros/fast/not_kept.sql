{#
Columns of a view in which Delta does not keep what is written, because a table is partitioned by
them: '' becomes NULL, and '__HIVE_DEFAULT_PARTITION__' too; a moment is written as the clock shows
it, which shows one hour twice where summer time ends. A row that has it is not found again by its
key, and two rows may have one key.

Args: spec (layout, stored: time_zone), columns (of name, type). Returns: those columns.
#}
{% macro _not_kept(spec, columns) %}
    {%- set by = spec.layout.partition_by | map("lower") | list -%}
    {%- set zone = (spec.get("stored") or {}).get("time_zone") -%}
    {%- set moves = zone not in ["UTC", "Etc/UTC", "GMT", "Z"] -%}
    {%- set found = [] -%}
    {%- for column in columns if column.name | lower in by -%}
        {%- if (moves and column.type == "timestamp") or column.type.startswith(
            ("string", "binary")
        ) -%}
            {%- do found.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Where that speaks against FAST whatever changed: of a key that is a text, the stage tells whether
such a value or NULL is touched, see _look_at_stage.

Args: spec, job (columns), shape (see _shape). Returns: named reason, or none.
#}
{% macro _why_not_kept(spec, job, shape) %}
    {%- for column in dbt_mview._not_kept(spec, job.columns) -%}
        {%- set told = column.type == "string" and column.name in shape["keys"] -%}
        {%- if not told and column.name in shape["keys"] + shape.get("values", {}).keys() | list -%}
            {{ return("PARTITION_VALUE_NOT_KEPT: " ~ column.name) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
