{# All is linear: rows come and go one by one. #}
{% macro _append_shape(columns) %}
    {%- set reason = dbt_mview._why_not_compared(columns) -%}
    {%- if reason -%} {{ return({"reason": reason}) }}{%- endif -%}
    {{
        return(
            {
                "reason": none,
                "strategy": "append",
                "keys": columns | map(attribute="name") | list,
                "values": {},
                "one_row": false,
            }
        )
    }}
{% endmacro %}


{#
SELECT DISTINCT: each row is a group without values. If a projection above leaves columns out, or
the plan does not tell, a row may be there more than once.
#}
{% macro _distinct_shape(tree, core, columns, sure) %}
    {%- set shape = dbt_mview._append_shape(columns) -%}
    {%- if shape.reason -%} {{ return(shape) }}{%- endif -%}
    {%- do shape.update({"strategy": "keyed"}) -%}
    {%- if sure -%}
        {%- set ids = dbt_mview._output_ids(tree, core) -%}
        {%- set outputs = dbt_mview._outputs(tree, columns, ids) or {} -%}
        {%- set hidden = ids | reject("in", outputs.values()) | list -%}
        {%- do shape.update({"one_row": ids | length > 0 and not hidden}) -%}
    {%- endif -%}
    {{ return(shape) }}
{% endmacro %}


{# No row of any source came or went: nor did any of the result, whatever the query is. #}
{% macro _unchanged_shape() %}
    {{
        return(
            {
                "reason": none,
                "strategy": "nothing",
                "keys": [],
                "values": {},
                "one_row": false,
                "terms": [],
            }
        )
    }}
{% endmacro %}
