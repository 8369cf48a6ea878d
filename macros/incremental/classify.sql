{#
How a query follows changes: one climb from each changed table to the boundary operator, which
decides the strategy.
#}
{#
How a query can follow changes of some of its tables, read from its analyzed plan. Unchanged tables
may be anywhere in the query; a changed one must reach the result by a path of known operators.

Args: reads, columns (see _canonical), changed (names of tables).
Returns: delta plan, see _delta_plan_record.
#}
{% macro _classify(reads, columns, changed) %}
    {%- if not changed -%}
        {%- set detail = "the query reads no table" -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._reason("INPUT_NOT_IN_DELTA", detail))) }}
    {%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set occurrences = dbt_mview._occurrences(tree) -%}
    {%- set unseen = dbt_mview._missing_occurrence(occurrences, reads, changed) -%}
    {%- if unseen -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._not_bound(unseen))) }}
    {%- endif -%}
    {%- set paths = [] -%}
    {%- set zero_delta = {} -%}
    {%- for index, occurrence in occurrences.items() if occurrence.relation in changed -%}
        {%- set path = dbt_mview._linear_path(tree, index) -%}
        {%- if path.reason -%} {{ return(dbt_mview._no_delta_plan(path.reason)) }}{%- endif -%}
        {%- set others = dbt_mview._zero_delta(tree, path, reads.get("nested", true)) -%}
        {%- if others is mapping -%} {{ return(dbt_mview._no_delta_plan(others)) }}{%- endif -%}
        {%- set names = [] -%}
        {%- for other in others -%} {%- do names.append(occurrences[other].name) -%} {%- endfor -%}
        {%- do zero_delta.update({occurrence.name: names}) -%}
        {%- do paths.append(path) -%}
    {%- endfor -%}
    {%- if paths | map(attribute="boundary") | unique | list | length != 1 -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._reason("AGGREGATE_NOT_TOP_NODE"))) }}
    {%- endif -%}
    {%- set plan = dbt_mview._classify_boundary(tree, paths[0], columns) -%}
    {%- do plan.update({"zero_delta": zero_delta}) -%}
    {{ return(plan) }}
{% endmacro %}


{#
What lies between one table of a query and its result. A linear operator turns the changed rows
of the table into the changed rows of its own result: filters, projections, inner joins, the
preserved side of outer ones, UNION ALL. The first Aggregate, Distinct or Window above the table is
the boundary operator. Only projections may follow, and over a Window the filter of a rank.

Args: tree (see _parse_plan), leaf (index of the table).
Returns: mapping reason (or none), boundary (index, or none if all is linear),
    windows (indexes of all Windows), filters (indexes of the Filters over a Window), unions
    (mapping index of a UNION ALL below the boundary -> position of the branch).
#}
{% macro _linear_path(tree, leaf) %}
    {%- set path = {
        "reason": none,
        "boundary": none,
        "windows": [],
        "filters": [],
        "unions": {},
    } -%}
    {%- set way = dbt_mview._climb(tree, leaf) -%}
    {%- for above in way.nodes if not path.reason -%}
        {%- set node, child = tree[above], tree[([leaf] + way.nodes)[loop.index0]] -%}
        {%- set boundary = tree[path.boundary].op if path.boundary is not none else "" -%}
        {%- set rule = dbt_mview._rule_of(node) -%}
        {%- if child.inner -%}
            {%- do path.update({"reason": dbt_mview._reason("SUBQUERY_NOT_INCREMENTAL")}) -%}
        {%- elif node.op == "Window" and boundary in ["", "Window"] -%}
            {%- do path.windows.append(above) -%}
            {%- do path.update({"boundary": above if not boundary else path.boundary}) -%}
        {%- elif node.op == "Filter" and boundary == "Window" -%}
            {%- do path.filters.append(above) -%}
        {%- elif node.op in ["Aggregate", "Distinct"] and not boundary -%}
            {%- do path.update({"boundary": above}) -%}
        {%- elif boundary and not (rule.is_over or rule.way == "refused") -%}
            {%- set over = node.op ~ " over " ~ boundary -%}
            {%- do path.update({"reason": dbt_mview._reason("AGGREGATE_NOT_TOP_NODE", over)}) -%}
        {%- elif not dbt_mview._is_linear(node, child) -%}
            {%- do path.update(dbt_mview._not_incremental(node)) -%}
        {%- elif node.op == "Union" -%} {%- do path.unions.update({above: child.position}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dict(path, reason=path.reason or way.reason)) }}
{% endmacro %}


{# Whether an operator is linear in one of its children. Args: node, child. Returns: bool. #}
{% macro _is_linear(node, child) %}
    {{ return(dbt_mview._rule_of(node, child).way == "linear") }}
{% endmacro %}


{# What ends the linear part decides how the result follows. Returns: see _classify. #}
{% macro _classify_boundary(tree, path, columns) %}
    {%- if path.boundary is none -%} {{ return(dbt_mview._row_delta_plan(columns)) }}{%- endif -%}
    {%- set truncated = dbt_mview._is_truncated(tree, path.boundary) -%}
    {%- if tree[path.boundary].op == "Distinct" -%}
        {{ return(dbt_mview._distinct_delta_plan(tree, path.boundary, columns, not truncated)) }}
    {%- endif -%}
    {%- if truncated -%} {{ return(dbt_mview._no_delta_plan(dbt_mview._truncated_plan())) }}
    {%- elif tree[path.boundary].op == "Window" -%}
        {{ return(dbt_mview._window_delta_plan(tree, path, columns)) }}
    {%- endif -%}
    {{ return(dbt_mview._aggregate_delta_plan(tree, path.boundary, columns)) }}
{% endmacro %}


{# Args: what (string). Returns: reason: another column of the result would have it followed. #}
{% macro _lacks(what) %}
    {%- set also = ["key_not_in_result", "keys_may_be_found"] -%}
    {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", "the result lacks " ~ what, also)) }}
{% endmacro %}


{# Returns: reason. #}
{% macro _truncated_plan() %}
    {%- set detail = "more columns than the plan prints" -%}
    {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail, ["plan_is_truncated"])) }}
{% endmacro %}


{#
A reason that may be one because the plan leaves out columns. Args: reason. Returns: reason.
#}
{% macro _as_of_truncated_plan(reason) %}
    {%- set before = reason.detail ~ " " if reason.detail else "" -%}
    {%- set detail = before ~ "(the plan is truncated)" -%}
    {{ return(dict(reason, detail=detail, also=reason.also + ["plan_is_truncated"])) }}
{% endmacro %}


{#
Whether the plan leaves out columns of the boundary operator or of those above it. Below, as in a
wide table, the names of columns do not matter.

Args: tree, boundary (index of the boundary operator). Returns: bool.
#}
{% macro _is_truncated(tree, boundary) %}
    {%- set above = dbt_mview._climb(tree, boundary).nodes -%}
    {%- for index in [boundary] + above if tree[index].truncated -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# All is linear: rows come and go one by one. #}
{% macro _row_delta_plan(columns) %}
    {%- set reason = dbt_mview._why_not_comparable_rows(columns) -%}
    {%- if reason -%} {{ return(dbt_mview._no_delta_plan(reason)) }}{%- endif -%}
    {%- set keys = columns | map(attribute="name") | list -%}
    {{ return(dbt_mview._delta_plan_record({"strategy": "row delta", "keys": keys})) }}
{% endmacro %}


{#
SELECT DISTINCT: each row is a group without values. If a projection above leaves columns out, or
the plan does not show it, a row may be there more than once.
#}
{% macro _distinct_delta_plan(tree, boundary, columns, is_whole) %}
    {%- set plan = dbt_mview._row_delta_plan(columns) -%}
    {%- if plan.reason -%} {{ return(plan) }}{%- endif -%}
    {%- do plan.update({"strategy": "affected keys"}) -%}
    {%- if is_whole -%}
        {%- set ids = tree[boundary].output -%}
        {%- set outputs = dbt_mview._outputs(tree, columns, ids) or {} -%}
        {%- set hidden = ids | reject("in", outputs.values()) | list -%}
        {%- do plan.update({"one_row": ids | length > 0 and not hidden}) -%}
    {%- endif -%}
    {{ return(plan) }}
{% endmacro %}


{#
No row of any source came or went: nor did any of the result, whatever the query is.

Args: changes (see _source_changes). Returns: delta plan.
#}
{% macro _empty_delta_plan(changes=[]) %}
    {{ return(dbt_mview._delta_plan_record({"strategy": "nothing", "changes": changes})) }}
{% endmacro %}
