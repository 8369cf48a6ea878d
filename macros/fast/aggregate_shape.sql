{#
A GROUP BY over linear operators. Counts and sums of whole numbers and decimals are added up from
signed changes, means by the sums beside them, extremes where the changes decide them; any other
value makes the touched groups be computed again.

Args: tree, core (index of the Aggregate), columns (of the query). Returns: see _shape.
#}
{% macro _aggregate_shape(tree, core, columns) %}
    {%- set lists = dbt_mview._lists(tree[core]) -%}
    {%- set grouping = {} -%}
    {#- coalesce(s, 'a, b') is printed as coalesce(s, 'a', 'b') is. -#}
    {%- set alike = namespace(found=false) -%}
    {%- for text in lists[0] if lists | length == 2 -%}
        {%- set key = dbt_mview._nameless(text) -%}
        {%- set alike.found = alike.found or (key in grouping and ", " in key) -%}
        {%- do grouping.update({key: text}) -%}
    {%- endfor -%}
    {%- set items = {} -%}
    {%- for text in lists[-1] if lists -%}
        {%- set item = dbt_mview._plan_item(text) -%}
        {%- do items.update({item.id: item.expression}) -%}
    {%- endfor -%}
    {%- set outputs = dbt_mview._outputs(tree, columns, items) -%}
    {%- if outputs is none or alike.found or lists | length not in [1, 2] -%}
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
    {%- set expressions = {} -%}
    {%- for column in columns -%}
        {%- set expression = items.get(outputs[column.name], "") -%}
        {%- do expressions.update({column.name: expression}) -%}
        {%- set key = dbt_mview._as_group_key(expression) -%}
        {%- if key in grouping -%}
            {%- do seen.append(key) -%} {%- do shape["keys"].append(column.name) -%}
        {%- else -%}
            {%- do shape["values"].update(
                {column.name: dbt_mview._value_class(expression, column.type)}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set hidden = [] -%}
    {%- for key, text in grouping.items() if key not in seen -%}
        {%- do hidden.append(text) -%}
    {%- endfor -%}
    {%- if hidden -%}
        {%- set names = modules.re.sub("#\\d+L?", "", hidden | join(", ")) -%}
        {{
            return(
                {"reason": "OPERATOR_NOT_INCREMENTAL: the result lacks the group key " ~ names}
            )
        }}
    {%- endif -%}
    {%- set keys = columns | selectattr("name", "in", shape["keys"]) | list -%}
    {%- set reason = dbt_mview._why_not_compared(keys) -%}
    {%- if reason -%} {{ return({"reason": reason}) }}{%- endif -%}
    {%- set means = dbt_mview._means(expressions, columns, shape["values"]) -%}
    {%- if means -%} {%- do shape.update({"means": means}) -%} {%- endif -%}
    {%- for column in means -%} {%- do shape["values"].update({column: "mean"}) -%} {%- endfor -%}
    {%- set wanted = dbt_mview._sums_wanted(expressions, columns, shape["values"]) -%}
    {%- if wanted -%} {%- do shape.update({"wanted": wanted}) -%} {%- endif -%}
    {%- if "other" in shape["values"].values() -%}
        {%- do shape.update({"strategy": "keyed"}) -%}
    {%- endif -%}
    {{ return(shape) }}
{% endmacro %}
