{#
Where signed changes end: keys that every change shows are found, and their rows computed again.
This file asks the engine whether the rewrites of the text are those of the plan.
#}
{#
A query that is not linear in what changed, over groups and windows or where a change decides which
rows have a match, may show affected keys, see _affected_keys_plan. Operators that keep rows without
a match (outer, full and anti joins, EXCEPT, NOT EXISTS, NOT IN; see _unmatched) are rewritten in
the query's text, with the texts of views in place, so that a delta term finds rows that match; the
engine is asked whether these changed and no others. Predicates that would hide keys are relaxed.
Which ones these are in the text, the engine says too, by a plan with all of them relaxed.

Args: found (see _canonical), unique (list of names, see unique_key), changed (names of tables),
    reason (why the query is not linear). Returns: delta plan, with to_matches, relaxed: source
    occurrence -> which operators of the text that keep rows without a match, in its order, are
    rewritten in its delta terms, see _to_matches, and which filters are relaxed there; crossed,
    where these join tables.
#}
{% macro _affected_keys(found, unique, changed, reason) %}
    {%- set reads = found.reads -%}
    {%- set matches = dbt_mview._asks_for_matches(dbt_mview._query_tree(reads)) -%}
    {%- set codes = ["AGGREGATE_NOT_TOP_NODE"] -%}
    {%- if matches -%}
        {%- do codes.extend(["OPERATOR_NOT_INCREMENTAL", "SUBQUERY_NOT_INCREMENTAL"]) -%}
    {%- endif -%}
    {%- if reason.code not in codes and "keys_may_be_found" not in reason.also -%}
        {{ return(dbt_mview._no_delta_plan(reason)) }}
    {%- endif -%}
    {%- set sql = reads.text -%}
    {%- if not dbt_mview._has_predicate_number(reads.bound_text) -%}
        {%- set sql = dbt_mview._relax_predicates(sql) -%}
    {%- endif -%}
    {%- set tree = dbt_mview._query_tree(dbt_mview._reads(sql)) -%}
    {%- set unseen = dbt_mview._missing_occurrence(dbt_mview._occurrences(tree), reads, changed) -%}
    {%- if unseen -%} {{ return(dbt_mview._no_delta_plan(dbt_mview._not_bound(unseen))) }}
    {%- elif not dbt_mview._is_understood(tree, reads) -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._not_understood())) }}
    {%- endif -%}
    {%- set not_image_equal = dbt_mview._not_image_equal_ids(tree, reads) -%}
    {%- set plan = dbt_mview._affected_keys_plan(
        tree, found.columns, changed, unique, reads.nested, not_image_equal
    ) -%}
    {%- if plan.reason or not plan["keys"] -%}
        {%- set why = plan.reason or reason -%}
        {%- if reads.truncated and plan.reason -%}
            {%- set why = dbt_mview._as_of_truncated_plan(plan.reason) -%}
        {%- endif -%}
        {{ return(dbt_mview._no_delta_plan(why)) }}
    {%- endif -%}
    {#- Subqueries of values may stand anywhere in the text. -#}
    {%- set odd = tree | selectattr("inner") | rejectattr("asked") | list -%}
    {%- set nested = reads.nested or odd | length > 0 -%}
    {%- for what in ["to_matches", "relaxed"] -%}
        {%- if nested and dbt_mview._may_be_mistaken(tree, plan[what]) -%}
            {%- set over = {"to_matches": "an outer join", "relaxed": "a filter"}[what] -%}
            {%- set beside = "a CTE" if reads.nested else "a subquery" -%}
            {%- set twice = over ~ " with " ~ beside ~ " and a table read twice" -%}
            {%- set also = ["cte_is_kept"] if reads.nested else [] -%}
            {%- set reason = dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", twice, also) -%}
            {{ return(dbt_mview._no_delta_plan(reason)) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set places = dbt_mview._unmatched(tree) -%}
    {%- set asked = [] -%}
    {%- for occurrence, to_matches in plan.to_matches.items() if to_matches -%}
        {%- set ordinals = [] -%}
        {%- for index in to_matches -%}
            {%- do ordinals.append(places.index(index)) -%}
        {%- endfor -%}
        {%- do plan.to_matches.update({occurrence: ordinals}) -%}
        {%- if ordinals not in asked -%}
            {%- do asked.append(ordinals) -%}
            {%- if not dbt_mview._is_to_matches_alone(sql, tree, to_matches, ordinals) -%}
                {%- set node = tree[to_matches[0] | abs] -%}
                {%- set name = dbt_mview._operator_name(node) -%}
                {%- set name = node.asked.type | upper if node.asked else name -%}
                {{
                    return(
                        dbt_mview._no_delta_plan(
                            dbt_mview._not_bound(name ~ " is not found in the text")
                        )
                    )
                }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if "grouping_id_not_in_result" in reason.also -%}
        {%- do plan.update({"lacks": "grouping_id()"}) -%}
    {%- endif -%}
    {%- set relaxed = plan.relaxed.values() | select | list -%}
    {%- if relaxed -%}
        {%- do plan.update({"text": reads.bound_text}) -%}
        {%- if dbt_mview._joins_by(tree, relaxed | sum(start=[])) -%}
            {%- do plan.update({"crossed": true}) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(plan) }}
{% endmacro %}


{#
Whether a join might become an inner one, or a filter be relaxed, for another occurrence of the same
table: the plan may read one table in another order than the text names it, see _nests_ctes.

Args: tree, changed (occurrence -> indexes or ordinals of these). Returns: bool.
#}
{% macro _may_be_mistaken(tree, changed) %}
    {%- set seen = [] -%}
    {%- set twice = [] -%}
    {%- for occurrence in dbt_mview._occurrences(tree).values() -%}
        {%- do (twice if occurrence.relation in seen else seen).append(occurrence.relation) -%}
    {%- endfor -%}
    {%- for occurrence, found in changed.items() if found -%}
        {%- if occurrence.rpartition(" ")[0] in twice -%} {{ return(true) }}{%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
