{#
Whether the changes decide every value of the view: counts, sums and means are added up, and
extremes where no row went.

Args: shape (strategy, values, changes). Returns: bool.
#}
{% macro _is_added_up(shape) %}
    {%- set decided = ["count_all", "count", "sum", "wide_sum", "mean"] -%}
    {%- if not shape.changes | selectattr("deletes") | list -%}
        {%- set decided = decided + ["min", "max"] -%}
    {%- endif -%}
    {%- set others = shape["values"].values() | reject("in", decided) | list -%}
    {{ return(shape.strategy == "aggregate" and not others) }}
{% endmacro %}


{#
Whether rows only came, and they are appended or added up. That is COMPLETE's own work on a part of
its rows: new rows alone, or, where two joined tables got some, those of each with the other table.

Args: shape, see _is_added_up. Returns: bool.
#}
{% macro _takes_in_new_rows(shape) %}
    {%- if shape.changes | selectattr("deletes") | list -%} {{ return(false) }}{%- endif -%}
    {{ return(shape.strategy == "append" or dbt_mview._is_added_up(shape)) }}
{% endmacro %}
