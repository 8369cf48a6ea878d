{# Args: parts (of GROUP BY), items (of its Aggregate). Returns: list of what it is grouped by. #}
{% macro _grouping(parts, items) %}
    {%- set known = [] -%}
    {%- for item in items -%}
        {%- do known.append(dbt_mview._plan_item(item).expression) -%}
    {%- endfor -%}
    {%- set grouping = [] -%}
    {%- set at = namespace(next=0) -%}
    {%- for start in range(parts | length) if start >= at.next -%}
        {%- set found = namespace(text=parts[start], end=start + 1) -%}
        {%- for end in range(start + 1, parts | length + 1) -%}
            {%- set text = parts[start:end] | join(", ") -%}
            {%- if text in known -%}
                {%- set found.text = text -%} {%- set found.end = end -%}
            {%- endif -%}
        {%- endfor -%}
        {%- do grouping.append(found.text) -%} {%- set at.next = found.end -%}
    {%- endfor -%}
    {{ return(grouping) }}
{% endmacro %}
