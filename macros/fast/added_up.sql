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
Whether the query is computed over new rows alone: rows only came, in one of the tables that are
joined, and they are appended or added up. That is COMPLETE's own work on a part of its rows.

Args: shape, see _is_added_up. Returns: bool.
#}
{% macro _reads_new_rows_alone(shape) %}
    {%- set went = shape.changes | selectattr("deletes") | list -%}
    {%- if went or dbt_mview._joined_changes(shape) > 1 -%} {{ return(false) }}{%- endif -%}
    {{ return(shape.strategy == "append" or dbt_mview._is_added_up(shape)) }}
{% endmacro %}
