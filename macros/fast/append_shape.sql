{# All is linear: rows come and go one by one. #}
{% macro _append_shape(columns) %}
    {%- for column in columns if modules.re.search("map<|variant", column.type) -%}
        {{
            return(
                {
                    "reason": "OPERATOR_NOT_INCREMENTAL: rows with "
                    ~ column.name
                    ~ " cannot be compared"
                }
            )
        }}
    {%- endfor -%}
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


{# SELECT DISTINCT: each row is a group without values. #}
{% macro _distinct_shape(columns) %}
    {%- set shape = dbt_mview._append_shape(columns) -%}
    {%- if not shape.reason -%}
        {%- do shape.update({"strategy": "keyed", "one_row": true}) -%}
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
