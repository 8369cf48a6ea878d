{#
An Expand, which makes several rows of each: one for each grouping set of ROLLUP, CUBE and GROUPING
SETS, or for each column that UNPIVOT turns into rows.
#}
{#
The columns of an Expand, each with what all of its rows have there: `[[k#9, 0], [null, 1]], [k#2,
g#3L]` has k#2 of `k#9, null`. A column that each row has as it is below keeps its id.

Args: lists (of its line, see _lists). Returns: list, see _plan_item; empty where its rows do not
    fit its columns.
#}
{% macro _expand_columns(lists) %}
    {%- if lists | length != 2 -%} {{ return([]) }}{%- endif -%}
    {%- set rows = [] -%}
    {%- for row in lists[0] -%}
        {%- do rows.append(dbt_mview._split_list(row[1:-1])) -%}
    {%- endfor -%}
    {%- set all_ = lists[0] | join(", ") -%}
    {%- set truncated = " more fields" in all_ ~ lists[1] | join -%}
    {%- if not truncated and rows | map("length") | unique | list != [lists[1] | length] -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set columns = [] -%}
    {%- for item in dbt_mview._plan_items(lists[1]) -%}
        {%- set at = loop.index0 -%}
        {%- set texts = [all_] if truncated else rows | map(attribute=at) | list -%}
        {%- if item.id is none or texts | unique | list == [item.reference] -%}
            {%- do columns.append(item) -%}
        {%- else -%}
            {%- set text = texts | join(", ") -%}
            {%- set ids = modules.re.findall("#(\\d+)", text) -%}
            {%- do columns.append(
                dict(
                    item,
                    expression=text,
                    references=ids,
                    alias=true,
                    truncated=truncated,
                )
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}


{#
Which part of grouping_id() a column is: `grouping(k)` is one bit of it.

Args: column (of an Aggregate, see _plan_item). Returns: mapping key (see _as_group_key, of what
    Spark numbers grouping sets by), bit (int, 0 of the last group key); or none.
#}
{% macro _grouping_bit(column) %}
    {%- set shifted = "\\(shiftright\\((spark_grouping_id#\\d+L?), (\\d+)\\) & " -%}
    {%- set bit = "cast\\(" ~ shifted ~ "(?:1|cast\\(1 as bigint\\))\\) as tinyint\\)" -%}
    {%- set call = modules.re.fullmatch(bit, column.expression) -%}
    {%- if not call -%} {{ return(none) }}{%- endif -%}
    {{ return({"key": dbt_mview._nameless(call.group(1)), "bit": call.group(2) | int}) }}
{% endmacro %}


{#
Whether some bits of grouping_id() tell all grouping sets apart: then it need not be shown itself.

Args: tree, aggregate (index of an Aggregate), key (of it, see _as_group_key), bits (list of ints).
Returns: bool; false of any other key.
#}
{% macro _is_told_by_bits(tree, aggregate, key, bits) %}
    {%- set below = tree[tree[aggregate].children[0]] -%}
    {%- if below.op != "Expand" or below.truncated -%} {{ return(false) }}{%- endif -%}
    {%- for column in below.columns if column.name == "spark_grouping_id" -%}
        {%- if dbt_mview._nameless(column.reference) == key -%}
            {%- set seen = [] -%}
            {%- for number in column.expression.split(", ") -%}
                {%- if not modules.re.fullmatch("\\d+", number) -%} {{ return(false) }}{%- endif -%}
                {%- set told = [] -%}
                {%- for bit in bits -%}
                    {%- do told.append((number | int) // 2**bit % 2) -%}
                {%- endfor -%}
                {%- do seen.append(told | join) -%}
            {%- endfor -%}
            {{ return(seen | unique | list | length == seen | length) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
