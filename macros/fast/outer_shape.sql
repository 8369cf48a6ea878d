{#
The optional side of outer joins: a query that is not linear in what changed may be covered, see
_covered_shape. The joins that a term takes for inner ones are turned in the query's text, with the
texts of views in place, and the engine is asked whether they were these joins and no others.

Args: spec, job (reads, bindings, columns), changed (names of tables), reason (why the query is
    not linear). Returns: see _shape, with turned: place -> which outer joins of the text, in its
    order, are inner ones in the place's terms.
#}
{% macro _outer_shape(spec, job, changed, reason) %}
    {%- set other = modules.re.match("OPERATOR_NOT_|AGGREGATE_NOT_", reason) is none -%}
    {%- if other or not modules.re.search("Join (Left|Right)Outer", job.reads.plan) -%}
        {{ return({"reason": reason}) }}
    {%- elif job.reads.get("odd_literal") -%}
        {{ return(dbt_mview._odd_shape(job.reads.odd_literal)) }}
    {%- endif -%}
    {%- set bindings = dict(job.bindings) -%}
    {%- for relation in job.reads.tables -%}
        {%- do bindings.update({relation: {"kind": "table", "version": none}}) -%}
    {%- endfor -%}
    {%- set sql = dbt_mview._bind(spec.definition, bindings, spec.namespace).sql -%}
    {%- set tree = dbt_mview._query_tree(dbt_mview._reads(sql).plan) -%}
    {%- set unseen = dbt_mview._unseen(dbt_mview._places_in_plan(tree), job.reads, changed) -%}
    {%- if unseen -%} {{ return({"reason": "SOURCE_NOT_BOUND: " ~ unseen}) }}{%- endif -%}
    {%- set shape = dbt_mview._covered_shape(tree, job.columns, changed, spec.unique_key) -%}
    {%- if shape.reason or not shape["keys"] -%}
        {%- set cut = " (the plan is cut)" if job.reads.get("cut") and shape.reason else "" -%}
        {{ return({"reason": (shape.reason or reason) ~ cut}) }}
    {%- endif -%}
    {%- if dbt_mview._may_be_mistaken(sql, tree, shape.turned) -%}
        {%- set twice = "an outer join with a CTE and a table read twice" -%}
        {{ return({"reason": "OPERATOR_NOT_INCREMENTAL: " ~ twice}) }}
    {%- endif -%}
    {%- set joins = dbt_mview._outer_joins(tree) -%}
    {%- set asked = [] -%}
    {%- for place, turned in shape.turned.items() if turned -%}
        {%- set ranks = [] -%}
        {%- for index in turned -%} {%- do ranks.append(joins.index(index)) -%} {%- endfor -%}
        {%- do shape.turned.update({place: ranks}) -%}
        {%- if ranks not in asked -%}
            {%- do asked.append(ranks) -%}
            {%- if not dbt_mview._turns_alone(sql, tree, turned, ranks) -%}
                {%- set name = dbt_mview._operator_name(tree[turned[0]]) -%}
                {{ return({"reason": "SOURCE_NOT_BOUND: " ~ name ~ " is not found in the text"}) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(shape) }}
{% endmacro %}


{#
Whether a join may be turned for another place of the same table: the plan may read one table in
another order than the text names it, see _may_be_reordered, where a CTE stands in brackets.
#}
{% macro _may_be_mistaken(sql, tree, turned) %}
    {%- set words = dbt_mview._words(sql) | map("lower") | join(" ") -%}
    {%- set seen = [] -%}
    {%- set twice = [] -%}
    {%- for place in dbt_mview._places_in_plan(tree).values() -%}
        {%- do (twice if place.relation in seen else seen).append(place.relation) -%}
    {%- endfor -%}
    {%- for place, joins in turned.items() if joins and "( with " in words -%}
        {%- if place.rpartition(" ")[0] in twice -%} {{ return(true) }}{%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
