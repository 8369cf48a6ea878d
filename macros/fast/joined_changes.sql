{#
How many changed places of a query are joined with each other at most. A change is followed place by
place, with the other places whole: with three of them, the tables are read twice as often as by
COMPLETE. Branches of a UNION ALL are not read for each other.

Args: shape (emptied, see _shape). Returns: int.
#}
{% macro _joined_changes(shape) %}
    {%- set emptied = shape.get("emptied") or {} -%}
    {%- set most = namespace(count=1) -%}
    {%- for name, others in emptied.items() -%}
        {%- set beside = emptied | reject("equalto", name) | reject("in", others) | list -%}
        {%- set most.count = [most.count, beside | length + 1] | max -%}
    {%- endfor -%}
    {{ return(most.count) }}
{% endmacro %}
