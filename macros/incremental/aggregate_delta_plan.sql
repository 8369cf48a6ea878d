{#
A GROUP BY over linear operators: which keys and values the result has, and the kind of each
aggregate.
#}
{#
A GROUP BY over linear operators. Counts and sums of whole numbers and decimals are added up from
signed changes, averages from the sums beside them, extremes if the changes decide them. With any
other value the touched groups are computed again.

ROLLUP, CUBE and GROUPING SETS group by grouping_id() as well. Two rows may have the same keys but
for that: a NULL of the data, and that of a group of several. So the result has to show it, or a
grouping() by which the sets differ.

Args: tree, boundary (index of the Aggregate), columns (of the query). Returns: delta plan.
#}
{% macro _aggregate_delta_plan(tree, boundary, columns) %}
    {%- set grouping = {} -%}
    {#- coalesce(s, 'a, b') is printed as coalesce(s, 'a', 'b') is. -#}
    {%- set alike = namespace(found=false) -%}
    {%- for group in tree[boundary].group_keys -%}
        {%- set alike.found = alike.found or (group.key in grouping and ", " in group.key) -%}
        {%- do grouping.update({group.key: group.shown}) -%}
    {%- endfor -%}
    {%- set items = {} -%}
    {%- for item in tree[boundary].columns -%}
        {%- do items.update({item.id: item}) -%}
    {%- endfor -%}
    {%- set outputs = dbt_mview._outputs(tree, columns, items) -%}
    {%- if outputs is none or alike.found or not tree[boundary].understood -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._not_understood())) }}
    {%- endif -%}
    {%- set plan = dbt_mview._delta_plan_record(
        {"strategy": "aggregate delta", "one_row": true}
    ) -%}
    {%- set seen, bits = [], [] -%}
    {%- set calls = {} -%}
    {%- for column in columns -%}
        {%- set item = items.get(outputs[column.name]) -%}
        {%- set key = dbt_mview._as_group_key(item) if item else none -%}
        {%- set bit = dbt_mview._grouping_bit(item) if item else none -%}
        {%- if key in grouping -%}
            {%- do seen.append(key) -%} {%- do plan["keys"].append(column.name) -%}
        {%- elif bit -%} {%- do bits.append(bit.bit) -%} {%- do plan["keys"].append(column.name) -%}
        {%- else -%}
            {%- set call = dbt_mview._call_of(item) if item else none -%}
            {%- do calls.update({column.name: call}) -%}
            {%- do plan["values"].update(
                {column.name: dbt_mview._aggregate_kind(call, column.type)}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set hidden = [] -%}
    {%- for key, shown in grouping.items() if key not in seen -%}
        {#- Without any key it would pass for a result that always has one row. -#}
        {%- if not (plan["keys"] and dbt_mview._is_told_by_bits(tree, boundary, key, bits)) -%}
            {%- do hidden.append(shown) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if hidden -%}
        {%- set reason = dbt_mview._lacks("the group key " ~ hidden | join(", ")) -%}
        {%- set also = ["grouping_id_not_in_result"] if hidden == ["grouping_id()"] else [] -%}
        {{ return(dbt_mview._no_delta_plan(dict(reason, also=reason.also + also))) }}
    {%- endif -%}
    {%- set keys = columns | selectattr("name", "in", plan["keys"]) | list -%}
    {%- set reason = dbt_mview._why_not_comparable_rows(keys) -%}
    {%- if reason -%} {{ return(dbt_mview._no_delta_plan(reason)) }}{%- endif -%}
    {%- set averages = dbt_mview._averages(calls, columns, plan["values"]) -%}
    {%- do plan.update({"averages": averages}) -%}
    {%- for column in averages -%}
        {%- do plan["values"].update({column: "average"}) -%}
    {%- endfor -%}
    {%- do plan.update({"wanted": dbt_mview._sums_wanted(calls, columns, plan["values"])}) -%}
    {%- if "holistic" in plan["values"].values() -%}
        {%- do plan.update({"strategy": "affected keys"}) -%}
    {%- endif -%}
    {{ return(plan) }}
{% endmacro %}


{#
How one value of a group follows changes.

Args: call (see _call_of; none of what is no call), type (of the result's column).
Returns: string, see _delta_plan_record.
#}
{% macro _aggregate_kind(call, type) %}
    {%- set name = call.function if call else none -%}
    {%- if name not in ["sum", "count", "min", "max"] or call.distinct -%}
        {{ return("holistic") }}
    {%- endif -%}
    {#- A text is printed without its quotes: one that reads 'count(*)' counts nothing. -#}
    {%- if name == "count" and type == "bigint" and call.of_all -%} {{ return("count_all") }}
    {%- elif not call.references or (name == "count" and type != "bigint") -%}
        {{ return("holistic") }}
    {%- elif name == "count" -%} {{ return("count") }}
    {%- elif name == "sum" -%} {{ return(dbt_mview._sum_kind(type)) }}
    {%- endif -%}
    {%- set ordered = (
        "boolean|tinyint|smallint|int|bigint|decimal\\(.*\\)|date|timestamp"
        ~ "|timestamp_ntz|string"
    ) -%}
    {{ return(name if modules.re.fullmatch(ordered, type) else "holistic") }}
{% endmacro %}


{#
How a sum follows changes. Spark adds two decimals of 38 digits at a scale of six at most, where a
sum keeps its own; and they may overflow, which is NULL.

Args: type (of the result's column). Returns: string, see _delta_plan_record.
#}
{% macro _sum_kind(type) %}
    {%- if type == "bigint" -%} {{ return("sum") }}{%- endif -%}
    {%- set digits = dbt_mview._decimal_digits(type) -%}
    {%- if not digits -%} {{ return("holistic") }}
    {%- elif digits[0] < 38 -%} {{ return("sum") }}
    {%- endif -%}
    {{ return("overflowable_sum" if digits[1] <= 6 else "holistic") }}
{% endmacro %}
