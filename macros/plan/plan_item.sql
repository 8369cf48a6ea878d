{#
One item of a node's list: expression, name, id. Also how an expression is looked up in GROUP BY.
#}
{#
One item of a list of the plan: `sum(a#1) AS total#2L`, `k#3`.

The name begins at the first AS outside of brackets: that of a column without an alias is its
expression, as SQL writes it, with an AS for each cast. See _canonical for what names may be.

Returns: mapping expression, name, reference (the name with its number, as other operators print
    it), id (string; none where the item is no column, as its name then), alias (bool).
#}
{% macro _plan_item(item) %}
    {#- An empty text is printed as nothing. -#}
    {%- set parts = (" " ~ item if item.startswith("AS ") else item).split(" AS ") -%}
    {%- set at = namespace(depth=0, named=0) -%}
    {%- for part in parts[:-1] if not at.named -%}
        {%- set opened = modules.re.findall("[\\[({]", part) | length -%}
        {%- set at.depth = at.depth + opened - modules.re.findall("[\\])}]", part) | length -%}
        {%- if at.depth == 0 -%} {%- set at.named = loop.index -%} {%- endif -%}
    {%- endfor -%}
    {%- set name = parts[at.named :] | join(" AS ") -%}
    {%- set column = modules.re.fullmatch("(.*)#(\\d+)L?", name) -%}
    {%- set alias = at.named > 0 and column is not none -%}
    {{
        return(
            {
                "expression": parts[: at.named] | join(" AS ") | trim if alias else item,
                "name": column.group(1) if column else none,
                "reference": name,
                "id": column.group(2) if column else none,
                "alias": alias,
            }
        )
    }}
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
An item's expression as GROUP BY prints it. A literal is printed there without its quotes:
one that reads 'count(1)' is no count.

Args: expression. Returns: string, see _nameless; or none, if it calls something without a column.
#}
{% macro _as_group_key(expression) %}
    {%- set calls = expression.endswith(")") and "#" not in expression -%}
    {{ return(none if calls else dbt_mview._nameless(expression)) }}
{% endmacro %}


{# Whether a text closes a bracket that it did not open. Args: text. Returns: bool. #}
{% macro _closes_early(text) %}
    {%- set at = namespace(depth=0, early=false) -%}
    {%- for char in text -%}
        {%- set at.depth = at.depth + (1 if char == "(" else (-1 if char == ")" else 0)) -%}
        {%- if at.depth < 0 -%} {%- set at.early = true -%} {%- endif -%}
    {%- endfor -%}
    {{ return(at.early) }}
{% endmacro %}


{# Args: text (of the plan), ids. Returns: bool. #}
{% macro _references_any(text, ids) %}
    {{ return(modules.re.findall("#(\\d+)", text) | select("in", ids) | list | length > 0) }}
{% endmacro %}


{# Args: node. Returns: string, the operator as a user of SQL knows it. #}
{% macro _operator_name(node) %}
    {%- if node.op == "Join" -%} {{ return("Join " ~ node.text.split(",")[0]) }}{%- endif -%}
    {{ return("Limit" if node.op in ["GlobalLimit", "LocalLimit"] else node.op) }}
{% endmacro %}
