{#
A row of state as a mapping, whatever the connection makes of numbers and booleans.

Args: values (row of an agate table), columns (list of names, in its order), integers (list of
    those that hold whole numbers), flags (list of those that are true or false).
Returns: mapping.
#}
{% macro _state_row(values, columns, integers, flags=["lease_over"]) %}
    {%- set row = {} -%}
    {%- for column in columns -%}
        {%- do row.update({column: values[loop.index0]}) -%}
    {%- endfor -%}
    {%- for column in integers -%}
        {%- do row.update({column: none if row[column] is none else row[column] | int}) -%}
    {%- endfor -%}
    {%- for column in flags -%}
        {%- do row.update({column: row[column] in [true, "true", 1]}) -%}
    {%- endfor -%}
    {{ return(row) }}
{% endmacro %}
