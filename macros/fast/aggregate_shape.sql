{#
A GROUP BY over linear operators. Counts and sums of whole numbers and decimals are added up from
signed changes, extremes where the changes decide them; any other value makes the touched groups
be computed again.

Args: tree, core (index of the Aggregate), columns (of the query). Returns: see _shape.
#}
{% macro _aggregate_shape(tree, core, columns) %}
    {%- set lists = dbt_mview._bracketed_lists(tree[core].text) -%}
    {%- set grouping = lists[0] if lists | length == 2 else [] -%}
    {%- set items = {} -%}
    {%- for text in lists[-1] if lists -%}
        {%- set item = dbt_mview._plan_item(text) -%}
        {%- do items.update({item.id: item.expression}) -%}
    {%- endfor -%}
    {%- set outputs = dbt_mview._outputs(tree, columns, items) -%}
    {%- if outputs is none or lists | length not in [1, 2] -%}
        {{ return({"reason": "OPERATOR_NOT_INCREMENTAL: a plan that is not understood"}) }}
    {%- endif -%}
    {%- set shape = {
        "reason": none,
        "strategy": "aggregate",
        "keys": [],
        "values": {},
        "one_row": true,
    } -%}
    {%- set seen = [] -%}
    {%- for column in columns -%}
        {%- set expression = items.get(outputs[column.name], "") -%}
        {%- if expression in grouping -%}
            {%- do seen.append(expression) -%} {%- do shape["keys"].append(column.name) -%}
        {%- else -%}
            {%- do shape["values"].update(
                {column.name: dbt_mview._value_class(expression, column.type)}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set hidden = grouping | reject("in", seen) | list -%}
    {%- if hidden -%}
        {%- set names = modules.re.sub("#\\d+L?", "", hidden | join(", ")) -%}
        {{
            return(
                {"reason": "OPERATOR_NOT_INCREMENTAL: the result lacks the group key " ~ names}
            )
        }}
    {%- endif -%}
    {%- for key in columns if key.name in shape["keys"] and "map<" in key.type -%}
        {{ return({"reason": "OPERATOR_NOT_INCREMENTAL: a map as group key"}) }}
    {%- endfor -%}
    {%- if "other" in shape["values"].values() -%}
        {%- do shape.update({"strategy": "keyed"}) -%}
    {%- endif -%}
    {{ return(shape) }}
{% endmacro %}


{#
How one value of a group follows changes.

Args: expression (as the plan prints it), type (of the result's column).
Returns: string, see _shape.
#}
{% macro _value_class(expression, type) %}
    {%- set call = modules.re.fullmatch("(sum|count|min|max)\\((.*)\\)", expression) -%}
    {%- if not call or dbt_mview._closes_early(call.group(2)) -%} {{ return("other") }}{%- endif -%}
    {%- set name, inner = call.group(1), call.group(2) -%}
    {%- if inner.startswith("distinct ") -%} {{ return("other") }}{%- endif -%}
    {%- if name == "count" -%} {{ return("count_all" if inner == "1" else "count") }}{%- endif -%}
    {%- if name == "sum" -%}
        {{ return("sum" if modules.re.fullmatch("bigint|decimal\\(.*\\)", type) else "other") }}
    {%- endif -%}
    {%- set ordered = (
        "boolean|tinyint|smallint|int|bigint|decimal\\(.*\\)|date|timestamp"
        ~ "|timestamp_ntz|string"
    ) -%}
    {{ return(name if modules.re.fullmatch(ordered, type) else "other") }}
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
