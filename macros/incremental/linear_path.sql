{# The climb through linear operators: they turn changed rows into changed rows, see _operators. #}
{#
What lies between one table of a query and its result. A linear operator turns the changed rows
of the table into the changed rows of its own result: filters, projections, inner joins, the
preserved side of outer ones, UNION ALL. The first Aggregate, Distinct or Window above the table is
the boundary operator (core). Only projections may follow, and over a Window the filter of a rank.

Args: tree (see _parse_plan), leaf (index of the table).
Returns: mapping reason (or none), core (index, or none if all is linear),
    windows (indexes of all Windows), filters (indexes of the Filters over a Window), unions
    (mapping index of a UNION ALL below the core -> position of the branch).
#}
{% macro _linear_path(tree, leaf) %}
    {%- set path = {"reason": none, "core": none, "windows": [], "filters": [], "unions": {}} -%}
    {%- set way = dbt_mview._climb(tree, leaf) -%}
    {%- for above in way.nodes if not path.reason -%}
        {%- set node, child = tree[above], tree[([leaf] + way.nodes)[loop.index0]] -%}
        {%- set core = tree[path.core].op if path.core is not none else "" -%}
        {%- set rule = dbt_mview._rule_of(node) -%}
        {%- if child.inner -%}
            {%- do path.update({"reason": dbt_mview._reason("SUBQUERY_NOT_INCREMENTAL")}) -%}
        {%- elif node.op == "Window" and core in ["", "Window"] -%}
            {%- do path.windows.append(above) -%}
            {%- do path.update({"core": above if not core else path.core}) -%}
        {%- elif node.op == "Filter" and core == "Window" -%} {%- do path.filters.append(above) -%}
        {%- elif node.op in ["Aggregate", "Distinct"] and not core -%}
            {%- do path.update({"core": above}) -%}
        {%- elif core and not (rule.is_over or rule.way == "refused") -%}
            {%- set over = node.op ~ " over " ~ core -%}
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
