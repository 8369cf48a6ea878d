{#
How a query follows changes: one climb from each changed table to the boundary operator, which
decides the strategy.
#}
{#
How a query can follow changes of some of its tables, read from its analyzed plan. Unchanged tables
may be anywhere in the query; a changed one must reach the result by a path of known operators.

Args: reads, columns (see _canonical), changed (names of tables).
Returns: mapping
    reason    why there is no exact way but COMPLETE, or none
    strategy  row delta: the changed rows themselves; aggregate delta: signed changes of sums and
              counts; affected keys: the groups or partitions that are touched are computed again;
              nothing: no row came or went, see _empty_delta_plan
    keys      columns that say which rows of the result belong together
    one_row   whether there is one row for each key
    emptied   source occurrence -> occurrences that are bound to no rows (zero delta) in its terms
    to_matches  source occurrence -> operators that keep rows without a match (outer, full and anti
              joins, EXCEPT, NOT EXISTS, NOT IN) and find those with one in its delta terms, see
              _to_matches; may lack
    relaxed   source occurrence -> filters of the text that are relaxed in its delta terms; may lack
    crossed   bool: these join tables, so the terms pair all rows of them; may lack
    dated     filters that ask for the day, which is another one, see _dated_filters; may lack
    text      the query with the texts of views, whose filters these are, and without its CTEs if
              these are inlined; lacks if none is relaxed nor inlined
    values    column -> sum, wide_sum (decimals of 38 digits), count, count_all, mean, min, max or
              other: of groups that are added up, or computed again as one is other; else empty
    means     column -> what the average follows, see _averages (of such groups; may lack)
    wanted    column -> what would have it added up, see _sums_wanted (of such groups; may lack)
    lacks     what else the result would show if its groups were added up (affected keys only; may
              lack)
    changes, terms  see _source_changes, _delta_terms; added by _delta_plan
    derived   see _derived_query; added by _judge, may lack
#}
{% macro _classify(reads, columns, changed) %}
    {%- if not changed -%}
        {%- set detail = "the query reads no table" -%}
        {{ return({"reason": dbt_mview._reason("INPUT_NOT_IN_DELTA", detail)}) }}
    {%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set places = dbt_mview._occurrences(tree) -%}
    {%- set unseen = dbt_mview._missing_occurrence(places, reads, changed) -%}
    {%- if unseen -%} {{ return({"reason": dbt_mview._not_bound(unseen)}) }}{%- endif -%}
    {%- set paths = [] -%}
    {%- set emptied = {} -%}
    {%- for index, place in places.items() if place.relation in changed -%}
        {%- set path = dbt_mview._linear_path(tree, index) -%}
        {%- if path.reason -%} {{ return({"reason": path.reason}) }}{%- endif -%}
        {%- set others = dbt_mview._zero_delta(tree, path, reads.get("nested", true)) -%}
        {%- if others is mapping -%} {{ return({"reason": others}) }}{%- endif -%}
        {%- set names = [] -%}
        {%- for other in others -%} {%- do names.append(places[other].name) -%} {%- endfor -%}
        {%- do emptied.update({place.name: names}) -%}
        {%- do paths.append(path) -%}
    {%- endfor -%}
    {%- if paths | map(attribute="core") | unique | list | length != 1 -%}
        {{ return({"reason": dbt_mview._reason("AGGREGATE_NOT_TOP_NODE")}) }}
    {%- endif -%}
    {%- set shape = dbt_mview._classify_boundary(tree, paths[0], columns) -%}
    {%- do shape.update({"emptied": emptied}) -%}
    {{ return(shape) }}
{% endmacro %}


{# What ends the linear part decides how the result follows. Returns: see _classify. #}
{% macro _classify_boundary(tree, path, columns) %}
    {%- if path.core is none -%} {{ return(dbt_mview._row_delta_plan(columns)) }}{%- endif -%}
    {%- set cut = dbt_mview._is_truncated(tree, path.core) -%}
    {%- if tree[path.core].op == "Distinct" -%}
        {{ return(dbt_mview._distinct_delta_plan(tree, path.core, columns, not cut)) }}
    {%- endif -%}
    {%- if cut -%} {{ return({"reason": dbt_mview._truncated_plan()}) }}
    {%- elif tree[path.core].op == "Window" -%}
        {{ return(dbt_mview._window_delta_plan(tree, path, columns)) }}
    {%- endif -%}
    {{ return(dbt_mview._aggregate_delta_plan(tree, path.core, columns)) }}
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
{% macro _as_of_cut_plan(reason) %}
    {%- set before = reason.detail ~ " " if reason.detail else "" -%}
    {%- set detail = before ~ "(the plan is cut)" -%}
    {{ return(dict(reason, detail=detail, also=reason.also + ["plan_is_cut"])) }}
{% endmacro %}


{#
Whether the plan leaves out columns of the boundary operator or of those above it. Below, as in a
wide table, the names of columns do not matter.

Args: tree, core (index of the boundary operator). Returns: bool.
#}
{% macro _is_truncated(tree, core) %}
    {%- for index in [core] + dbt_mview._climb(tree, core).nodes if tree[index].truncated -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# All is linear: rows come and go one by one. #}
{% macro _row_delta_plan(columns) %}
    {%- set reason = dbt_mview._why_not_comparable_rows(columns) -%}
    {%- if reason -%} {{ return({"reason": reason}) }}{%- endif -%}
    {{
        return(
            {
                "reason": none,
                "strategy": "row delta",
                "keys": columns | map(attribute="name") | list,
                "values": {},
                "one_row": false,
            }
        )
    }}
{% endmacro %}


{#
SELECT DISTINCT: each row is a group without values. If a projection above leaves columns out, or
the plan does not show it, a row may be there more than once.
#}
{% macro _distinct_delta_plan(tree, core, columns, sure) %}
    {%- set shape = dbt_mview._row_delta_plan(columns) -%}
    {%- if shape.reason -%} {{ return(shape) }}{%- endif -%}
    {%- do shape.update({"strategy": "affected keys"}) -%}
    {%- if sure -%}
        {%- set ids = tree[core].output -%}
        {%- set outputs = dbt_mview._outputs(tree, columns, ids) or {} -%}
        {%- set hidden = ids | reject("in", outputs.values()) | list -%}
        {%- do shape.update({"one_row": ids | length > 0 and not hidden}) -%}
    {%- endif -%}
    {{ return(shape) }}
{% endmacro %}


{# No row of any source came or went: nor did any of the result, whatever the query is. #}
{% macro _empty_delta_plan() %}
    {{
        return(
            {
                "reason": none,
                "strategy": "nothing",
                "keys": [],
                "values": {},
                "one_row": false,
                "terms": [],
            }
        )
    }}
{% endmacro %}
