{#
A GROUP BY over linear operators: which keys and values the result has, and the kind of each
aggregate.
#}
{#
A GROUP BY over linear operators. Counts and sums of whole numbers and decimals are added up from
signed changes, averages from the sums beside them, extremes if the changes decide them. With any
other value the touched groups are computed again.

Args: tree, core (index of the Aggregate), columns (of the query). Returns: see _classify.
#}
{% macro _aggregate_delta_plan(tree, core, columns) %}
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
                {column.name: dbt_mview._aggregate_kind(expression, column.type)}
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
    {%- set reason = dbt_mview._why_not_comparable_rows(keys) -%}
    {%- if reason -%} {{ return({"reason": reason}) }}{%- endif -%}
    {%- set means = dbt_mview._averages(expressions, columns, shape["values"]) -%}
    {%- if means -%} {%- do shape.update({"means": means}) -%} {%- endif -%}
    {%- for column in means -%} {%- do shape["values"].update({column: "mean"}) -%} {%- endfor -%}
    {%- set wanted = dbt_mview._sums_wanted(expressions, columns, shape["values"]) -%}
    {%- if wanted -%} {%- do shape.update({"wanted": wanted}) -%} {%- endif -%}
    {%- if "other" in shape["values"].values() -%}
        {%- do shape.update({"strategy": "keyed"}) -%}
    {%- endif -%}
    {{ return(shape) }}
{% endmacro %}


{#
How one value of a group follows changes.

Args: expression (as the plan prints it), type (of the result's column).
Returns: string, see _classify.
#}
{% macro _aggregate_kind(expression, type) %}
    {%- set call = modules.re.fullmatch("(sum|count|min|max)\\((.*)\\)", expression) -%}
    {%- if not call or dbt_mview._closes_early(call.group(2)) -%} {{ return("other") }}{%- endif -%}
    {%- set name, inner = call.group(1), call.group(2) -%}
    {%- if inner.startswith("distinct ") -%} {{ return("other") }}{%- endif -%}
    {#- A text is printed without its quotes: one that reads 'count(*)' counts nothing. -#}
    {%- set reads = modules.re.search("#\\d", inner) is not none -%}
    {%- if name == "count" and type == "bigint" and inner == "1" -%} {{ return("count_all") }}
    {%- elif not reads or (name == "count" and type != "bigint") -%} {{ return("other") }}
    {%- elif name == "count" -%} {{ return("count") }}
    {%- elif name == "sum" -%} {{ return(dbt_mview._sum_kind(type)) }}
    {%- endif -%}
    {%- set ordered = (
        "boolean|tinyint|smallint|int|bigint|decimal\\(.*\\)|date|timestamp"
        ~ "|timestamp_ntz|string"
    ) -%}
    {{ return(name if modules.re.fullmatch(ordered, type) else "other") }}
{% endmacro %}


{#
How a sum follows changes. Spark adds two decimals of 38 digits at a scale of six at most, where a
sum keeps its own; and they may overflow, which is NULL.

Args: type (of the result's column). Returns: string, see _classify.
#}
{% macro _sum_kind(type) %}
    {%- if type == "bigint" -%} {{ return("sum") }}{%- endif -%}
    {%- set digits = dbt_mview._decimal_digits(type) -%}
    {%- if not digits -%} {{ return("other") }}
    {%- elif digits[0] < 38 -%} {{ return("sum") }}
    {%- endif -%}
    {{ return("wide_sum" if digits[1] <= 6 else "other") }}
{% endmacro %}
