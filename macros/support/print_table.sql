{#
Prints rows as a table with columns of one width.

Args: head (list of strings), lines (list of lists of strings).
#}
{% macro _print_table(head, lines) %}
    {%- set widths = [] -%}
    {%- for title in head -%}
        {%- set column = loop.index0 -%}
        {%- set width = namespace(max=title | length) -%}
        {%- for line in lines -%}
            {%- set width.max = [width.max, line[column] | string | length] | max -%}
        {%- endfor -%}
        {%- do widths.append(width.max) -%}
    {%- endfor -%}
    {%- for line in [head] + lines -%}
        {%- set cells = [] -%}
        {%- for width in widths -%}
            {%- do cells.append((line[loop.index0] | string).ljust(width)) -%}
        {%- endfor -%}
        {%- do print((cells | join("  ")).rstrip()) -%}
    {%- endfor -%}
{% endmacro %}
