{#
What the changes of one table reach where signed changes end: at the optional side of an outer join,
at groups and windows below others. Climbing from the table, each operator's change is covered in
some columns: whatever row comes to the operator's result or goes from it, its term (the operator
over the changed rows) has a row with the same values in these columns. Which rows of the query
change is then known by the columns that are covered at its top; docs/fast.md has the proof.

Args: tree (see _plan_tree), leaf (index of the table), coarse (see _coarse_ids).
Returns: mapping
    reason  why this is not known, or none
    sure    ids of the columns in which the change is covered, none while it is in all of them
    turned  indexes of the outer joins whose optional side was climbed through: the term takes
            them for inner ones
    unions  see _linear_path
    core    index of an Aggregate under projections alone, or none
    ranks   ids of ranks whose first ones may be filtered for
    opened  ranks of the filters that the term does without, where the text has them opened
    alike   ids of values that are covered as equal ones: coarse, once they are in a group or window
    coarse  as given
#}
{% macro _covered_path(tree, leaf, coarse=[]) %}
    {%- set path = {
        "reason": none,
        "sure": none,
        "turned": [],
        "unions": {},
        "core": none,
        "ranks": [],
        "opened": [],
        "alike": [],
        "coarse": coarse,
    } -%}
    {%- set at = namespace(node=leaf) -%}
    {%- for _ in tree if at.node is not none and not path.reason -%}
        {%- set above = dbt_mview._node_above(tree, at.node) -%}
        {%- if above is string -%} {%- do path.update({"reason": above}) -%}
        {%- elif above is not none -%}
            {%- do path.update(dbt_mview._covered_step(tree, path, at.node, above)) -%}
        {%- endif -%}
        {%- set at.node = none if above is string else above -%}
    {%- endfor -%}
    {{ return(path) }}
{% endmacro %}


{# One operator of the climb. Args: tree, path, below, index. Returns: what changes of path. #}
{% macro _covered_step(tree, path, below, index) %}
    {%- set node = tree[index] -%}
    {%- if node.op == "Join" -%} {{ return(dbt_mview._covered_join(tree, path, below, index)) }}
    {%- elif node.op == "Aggregate" -%}
        {{ return(dict(dbt_mview._covered_groups(node, path), core=index, alike=path.coarse)) }}
    {%- elif node.op == "Window" -%}
        {%- set found = dbt_mview._covered_window(node, path) -%}
        {{ return(dict(found, sure=dbt_mview._copies(tree, found.sure), alike=path.coarse)) }}
    {%- elif node.op == "Filter" -%} {{ return(dbt_mview._covered_filter(node, path)) }}
    {%- elif node.op == "Project" -%} {{ return(dbt_mview._covered_items(node, path)) }}
    {%- elif node.op == "CTERelationRef" -%}
        {{ return(dbt_mview._covered_reference(tree, path, below, index)) }}
    {%- elif node.op == "Union" -%} {{ return(dbt_mview._covered_union(tree, path, below, index)) }}
    {%- elif node.op == "Generate" and path.sure is none -%} {{ return({"core": none}) }}
    {%- elif node.op == "Distinct" -%} {{ return(dbt_mview._covered_distinct(tree, path, index)) }}
    {%- elif node.op != "Generate" and dbt_mview._is_linear(node, tree[below]) -%} {{ return({}) }}
    {%- endif -%}
    {{ return(dbt_mview._not_covered(node)) }}
{% endmacro %}


{# Args: node, where (what it looks at, string). Returns: mapping reason. #}
{% macro _not_covered(node, where="") %}
    {{ return({"reason": "OPERATOR_NOT_INCREMENTAL: " ~ dbt_mview._operator_name(node) ~ where}) }}
{% endmacro %}
