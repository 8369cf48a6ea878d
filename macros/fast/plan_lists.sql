{#
The bracketed lists of an operator's line: `Aggregate [a], [a, b]` has two.

Args: text (string). Returns: list of lists of strings.
#}
{% macro _bracketed_lists(text) %}
    {%- set lists = [] -%}
    {%- for part in dbt_mview._split_list(text) if part.startswith("[") and part.endswith("]") -%}
        {%- do lists.append(dbt_mview._split_list(part[1:-1])) -%}
    {%- endfor -%}
    {{ return(lists) }}
{% endmacro %}


{# Args: text (string). Returns: list of strings, the first list of an operator's line. #}
{% macro _first_list(text) %}
    {%- set lists = dbt_mview._bracketed_lists(text) -%} {{ return(lists[0] if lists else []) }}
{% endmacro %}


{#
Splits a list as the plan prints it at its outer commas.

Args: text (string, without the outer brackets). Returns: list of strings.
#}
{% macro _split_list(text) %}
    {%- set parts = [] -%}
    {%- set at = namespace(depth=0, start=0) -%}
    {%- for char in text -%}
        {%- if char in "([{" -%} {%- set at.depth = at.depth + 1 -%}
        {%- elif char in ")]}" -%} {%- set at.depth = at.depth - 1 -%}
        {%- elif char == "," and at.depth == 0 -%}
            {%- do parts.append(text[at.start : loop.index0].strip()) -%}
            {%- set at.start = loop.index -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do parts.append(text[at.start :].strip()) -%}
    {{ return(parts | select | list) }}
{% endmacro %}


{#
One item of a list of the plan: `sum(a#1) AS total#2L`, `k#3`.

Returns: mapping expression, id (string), alias (bool).
#}
{% macro _plan_item(item) %}
    {%- set named = modules.re.fullmatch("(.*) AS (?:.*)#(\\d+)L?", item) -%}
    {%- if named -%}
        {{ return({"expression": named.group(1), "id": named.group(2), "alias": true}) }}
    {%- endif -%}
    {%- set plain = modules.re.fullmatch(".*#(\\d+)L?", item) -%}
    {{ return({"expression": item, "id": plain.group(1) if plain else none, "alias": false}) }}
{% endmacro %}


{# Args: items (list of a plan). Returns: list of the ids of their attributes. #}
{% macro _ids(items) %}
    {%- set ids = [] -%}
    {%- for item in items -%} {%- do ids.append(dbt_mview._plan_item(item).id) -%} {%- endfor -%}
    {{ return(ids) }}
{% endmacro %}
