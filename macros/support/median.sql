{# Args: numbers (list). Returns: the middle one, of two the greater; none where there is none. #}
{% macro _median(numbers) %}
    {{ return((numbers | sort)[numbers | length // 2] if numbers else none) }}
{% endmacro %}
