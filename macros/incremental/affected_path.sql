{#
The climb that carries affected keys: which columns of an operator's result show its change, through
joins.
#}
{#
The affected keys of one table's changes where signed changes end: at the optional side of an outer
join, at groups and windows below others. Climbing from the table, some columns of each operator
carry them: for every row that comes to the operator's result or goes from it, its delta term (the
operator over the changed rows) has a row with the same values in these columns. At the top, these
columns say which rows of the query change; docs/fast-internals.md has the proof.

Args: tree (see _plan_tree), leaf (index of the table), coarse (see _not_image_equal_ids).
Returns: mapping
    reason  why this is not known, or none
    sure    ids of the columns that carry affected keys, none while all of them do
    turned  indexes of the outer joins whose optional side was climbed through: inner joins in the
            delta term (outer_to_inner)
    unions  see _linear_path
    core    index of an Aggregate under projections alone, or none
    ranks   ids of ranks whose first ones may be filtered for
    opened  ranks of the filters that are relaxed in the delta term
    alike   ids of values that show a key by an equal value only: not image-equal, and in a group or
            window
    coarse  as given: ids that are not image-equal
#}
{% macro _affected_path(tree, leaf, coarse=[]) %}
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
        {%- set above = dbt_mview._parent(tree, at.node) -%}
        {%- if above is string -%} {%- do path.update({"reason": above}) -%}
        {%- elif above is not none -%}
            {%- do path.update(dbt_mview._affected_step(tree, path, at.node, above)) -%}
        {%- endif -%}
        {%- set at.node = none if above is string else above -%}
    {%- endfor -%}
    {{ return(path) }}
{% endmacro %}


{# One operator of the climb. Args: tree, path, below, index. Returns: what changes of path. #}
{% macro _affected_step(tree, path, below, index) %}
    {%- set node = tree[index] -%}
    {%- if node.op == "Join" -%} {{ return(dbt_mview._affected_join(tree, path, below, index)) }}
    {%- elif node.op == "Aggregate" -%}
        {{ return(dict(dbt_mview._affected_groups(node, path), core=index, alike=path.coarse)) }}
    {%- elif node.op == "Window" -%}
        {%- set found = dbt_mview._affected_window(node, path) -%}
        {{ return(dict(found, sure=dbt_mview._copies(tree, found.sure), alike=path.coarse)) }}
    {%- elif node.op == "Filter" -%} {{ return(dbt_mview._affected_filter(node, path)) }}
    {%- elif node.op == "Project" -%} {{ return(dbt_mview._affected_items(node, path)) }}
    {%- elif node.op == "CTERelationRef" -%}
        {{ return(dbt_mview._affected_reference(tree, path, below, index)) }}
    {%- elif node.op == "Union" -%}
        {{ return(dbt_mview._affected_union(tree, path, below, index)) }}
    {%- elif node.op == "Generate" and path.sure is none -%} {{ return({"core": none}) }}
    {%- elif node.op == "Distinct" -%} {{ return(dbt_mview._affected_distinct(tree, path, index)) }}
    {%- elif node.op != "Generate" and dbt_mview._is_linear(node, tree[below]) -%} {{ return({}) }}
    {%- endif -%}
    {{ return(dbt_mview._not_incremental(node)) }}
{% endmacro %}


{#
A join of the climb, see _affected_path. Inner joins and the preserved side of outer ones keep the
columns with affected keys, and add those of the other side, which does not change meanwhile.
Through the optional side, the rows of the other side change that match an old or new changed row:
the inner join finds them, and their own columns carry the keys. A condition over other columns may
miss rows; if this side is preserved, it only decides what is joined to them.

Args: tree, path, below (index of the side that changes), index. Returns: what changes of path.
#}
{% macro _affected_join(tree, path, below, index) %}
    {%- set node = tree[index] -%}
    {%- set kind = node.text.split(",")[0].strip() -%}
    {%- set side = tree[below].position -%}
    {%- set others = dbt_mview._other_side_ids(tree, below) -%}
    {%- set both = none if path.sure is none else path.sure + others -%}
    {%- set seen = dbt_mview._references_only(node.text, both, path.alike) -%}
    {%- set found = {"core": none, "ranks": []} -%}
    {%- set optional = (kind, side) in [("LeftOuter", 1), ("RightOuter", 0)] -%}
    {%- if not optional and not dbt_mview._is_linear(node, tree[below]) -%}
        {{ return(dbt_mview._not_incremental(node)) }}
    {%- elif kind in ["LeftOuter", "RightOuter"] and not optional -%}
        {%- do found.update({"sure": both if seen else path.sure}) -%} {{ return(found) }}
    {%- endif -%}
    {%- set filters = kind in ["LeftSemi", "LeftAnti"] -%}
    {%- if not seen and (
        filters or not dbt_mview._references_first_ranks(node.text, both, path)
    ) -%}
        {{ return(dbt_mview._beyond_keys(node)) }}
    {%- endif -%}
    {%- if optional -%}
        {%- do found.update({"sure": others, "turned": path.turned + [index], "alike": []}) -%}
    {%- elif kind in ["Inner", "Cross"] -%} {%- do found.update({"sure": both}) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether a join's condition is one over columns with affected keys AND one for the first ranks of a
window: the latter is as good as a filter below the join.

Args: text (of a Join), both (ids, see _references_only), path. Returns: bool.
#}
{% macro _references_first_ranks(text, both, path) %}
    {%- set parts = modules.re.fullmatch("\\w+, \\((.*) AND (\\([^()]*\\))\\)", text) -%}
    {%- if not parts -%} {{ return(false) }}{%- endif -%}
    {{
        return(
            dbt_mview._first_ranks(parts.group(2)) in path.ranks
            and dbt_mview._references_only(parts.group(1), both, path.alike)
        )
    }}
{% endmacro %}


{#
Whether an expression references only these columns, and those that are not image-equal only as they
are or by equality.

Args: text (as the plan prints it), ids (none: all columns), alike (see _affected_path).
Returns: bool.
#}
{% macro _references_only(text, ids, alike) %}
    {%- if ids is none and not alike -%} {{ return(true) }}{%- endif -%}
    {%- set column = "[^()# ]*#\\d+L?" -%}
    {%- set compared = column ~ "(?: = | <=> )" ~ column -%}
    {%- set made = modules.re.sub("^" ~ column ~ "$|" ~ compared, "", text) -%}
    {%- set seen = modules.re.findall("#(\\d+)", text) -%}
    {{
        return(
            " more fields" not in text
            and not (ids is not none and seen | reject("in", ids) | list)
            and not dbt_mview._references_any(made, alike)
        )
    }}
{% endmacro %}


{# Args: node, where (what it references, string). Returns: mapping reason. #}
{% macro _not_incremental(node, where="") %}
    {{ return({"reason": "OPERATOR_NOT_INCREMENTAL: " ~ dbt_mview._operator_name(node) ~ where}) }}
{% endmacro %}


{#
Args: node. Returns: mapping reason, where an operator references columns without affected keys.
#}
{% macro _beyond_keys(node) %}
    {{ return(dbt_mview._not_incremental(node, " over the optional side of a join")) }}
{% endmacro %}
