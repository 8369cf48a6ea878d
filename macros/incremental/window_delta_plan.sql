{# Windows over linear operators: partitions are computed again. #}
{#
Windows over linear operators. Rows of one partition never touch those of another, so the
partitions that changes touch are computed again. A filter over the window may only be the
first ranks of it: every partition that holds a changed row shows itself by its first rank.

Args: tree, path (see _linear_path), columns (of the query). Returns: delta plan.
#}
{% macro _window_delta_plan(tree, path, columns) %}
    {%- set shared = namespace(ids=none, all_have=true) -%}
    {%- set ranks = [] -%}
    {%- set row_numbers = [] -%}
    {%- set one_row = namespace(found=false) -%}
    {%- for index in path.windows -%}
        {%- set ids = dbt_mview._partition_ids(tree[index]) -%}
        {%- set kept = ids if shared.ids is none else shared.ids | select("in", ids) | list -%}
        {%- set shared.ids = kept -%}
        {%- set shared.all_have = shared.all_have and ids != [] -%}
        {%- do ranks.extend(dbt_mview._rank_ids(tree[index])) -%}
        {%- do row_numbers.extend(dbt_mview._ids_by_function(tree[index], "row_number")) -%}
    {%- endfor -%}
    {#- Of two filters, no row of the changed ones may pass both. -#}
    {%- for index in path.filters -%}
        {%- set rank = dbt_mview._ranks_kept(tree[index]) -%}
        {%- if rank.id not in ranks or path.filters | length > 1 -%}
            {%- set over = "a filter over a window" -%}
            {%- set reason = dbt_mview._reason(
                "OPERATOR_NOT_INCREMENTAL", over, ["keys_may_be_found"]
            ) -%}
            {{ return(dbt_mview._no_delta_plan(reason)) }}
        {%- endif -%}
        {%- if rank.id in row_numbers and rank.one -%}
            {%- set one_row.found = true -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set outputs = dbt_mview._outputs(tree, columns, shared.ids) -%}
    {%- set keys = [] -%}
    {%- set shown = [] -%}
    {%- for column in columns if outputs and outputs[column.name] in shared.ids -%}
        {%- do keys.append(column.name) -%} {%- do shown.append(outputs[column.name]) -%}
    {%- endfor -%}
    {%- if not keys -%}
        {%- set by = [] -%}
        {%- for name in tree[path.windows[0]].partition_keys | map(attribute="name") -%}
            {%- do by.append("an expression" if name.startswith("_w") else name) -%}
        {%- endfor -%}
        {%- set lacks = dbt_mview._lacks("the window's PARTITION BY " ~ by | join(", ")) -%}
        {%- set code = "WINDOW_WITHOUT_PARTITION_BY" -%}
        {%- if shared.all_have -%}
            {%- set code = "WINDOWS_WITHOUT_COMMON_PARTITION_BY" -%}
        {%- endif -%}
        {{ return(dbt_mview._no_delta_plan(lacks if shared.ids else dbt_mview._reason(code))) }}
    {%- endif -%}
    {{
        return(
            dbt_mview._delta_plan_record(
                {
                    "strategy": "affected keys",
                    "keys": keys,
                    "one_row": one_row.found
                    and path.windows | length == 1
                    and not shared.ids | reject("in", shown) | list,
                }
            )
        )
    }}
{% endmacro %}


{# Args: node (a Window). Returns: list of the ids of its plain PARTITION BY columns. #}
{% macro _partition_ids(node) %}
    {{ return(node.partition_keys | map(attribute="id") | reject("none") | list) }}
{% endmacro %}


{# Args: node (a Window). Returns: list of the ids of its ranks. #}
{% macro _rank_ids(node) %}
    {{ return(dbt_mview._ids_by_function(node, "row_number|rank|dense_rank")) }}
{% endmacro %}
