{#
A row of state as a mapping, whatever the connection makes of numbers and booleans. The last column
is `lease_over`.

Args: values (row of an agate table), columns (list of names, in its order), integers (list of
    those that hold whole numbers).
Returns: mapping.
#}
{% macro _state_row(values, columns, integers) %}
    {%- set row = {} -%}
    {%- for column in columns -%}
        {%- do row.update({column: values[loop.index0]}) -%}
    {%- endfor -%}
    {%- for column in integers -%}
        {%- do row.update({column: none if row[column] is none else row[column] | int}) -%}
    {%- endfor -%}
    {%- do row.update({"lease_over": row.lease_over in [true, "true", 1]}) -%}
    {{ return(row) }}
{% endmacro %}
