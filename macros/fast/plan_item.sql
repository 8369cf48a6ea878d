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


{#
An expression without the names of its columns: SQL names them in any case, and the plan prints each
as it was written. Args: text (as the plan prints it). Returns: string.
#}
{% macro _nameless(text) %} {{ return(modules.re.sub("\\w+#(?=\\d)", "#", text)) }} {% endmacro %}


{#
An item's expression as it is looked for in GROUP BY. A literal is printed there without its quotes:
one that reads 'count(1)' is no count.

Args: expression. Returns: string, see _nameless; or none, where it calls something of no column.
#}
{% macro _as_group_key(expression) %}
    {%- set calls = expression.endswith(")") and "#" not in expression -%}
    {{ return(none if calls else dbt_mview._nameless(expression)) }}
{% endmacro %}
