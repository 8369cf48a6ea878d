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

Args: tree (see _parse_plan), leaf (index of the table), not_image_equal (see _not_image_equal_ids).
Returns: mapping
    reason  why this is not known, or none
    key_ids ids of the columns that carry affected keys, none while all of them do
    either  lists of ids, of which those that are not NULL are equal: coalesce() of them carries
            affected keys, see _affected_full_join
    matched bool: an operator was climbed through that asks for matches, from the side on which it
            looks for them
    to_matches  those of them that keep rows without a match, see _unmatched: in the delta term they
            show the rows that match; of a full join those of one side, of the right one with a
            minus
    unions  see _linear_path
    boundary  index of an Aggregate under projections alone, or none
    ranks   ids of ranks whose first ones may be filtered for
    relaxed  ordinals (see _relaxed_ordinal) of the filters that are relaxed in the delta term
    equal_only  ids of values that show a key by an equal value only: not image-equal, and in a
            group or window
    not_image_equal  as given
#}
{% macro _affected_path(tree, leaf, not_image_equal=[]) %}
    {%- set path = {
        "reason": none,
        "key_ids": none,
        "either": [],
        "matched": false,
        "to_matches": [],
        "unions": {},
        "boundary": none,
        "ranks": [],
        "relaxed": [],
        "equal_only": [],
        "not_image_equal": not_image_equal,
    } -%}
    {%- set way = dbt_mview._climb(tree, leaf) -%}
    {%- for above in way.nodes if not path.reason -%}
        {%- set below = ([leaf] + way.nodes)[loop.index0] -%}
        {%- do path.update(dbt_mview._affected_step(tree, path, below, above)) -%}
    {%- endfor -%}
    {{ return(dict(path, reason=path.reason or way.reason)) }}
{% endmacro %}


{# One operator of the climb. Args: tree, path, below, index. Returns: what changes of path. #}
{% macro _affected_step(tree, path, below, index) %}
    {%- set keys = dbt_mview._rule_of(tree[index], tree[below]).get("keys") -%}
    {%- set keeps = keys in ["same", "items", "filter", "both", "preserved", "filtered"] -%}
    {%- set either = path.either if keeps and not tree[below].inner else [] -%}
    {%- set found = dbt_mview._affected_operator(tree, path, below, index, keys) -%}
    {{ return(dict({"either": either}, **found)) }}
{% endmacro %}


{# The same, by how the operator carries keys (see _operators). Args, Returns: as _affected_step. #}
{% macro _affected_operator(tree, path, below, index, keys) %}
    {%- set node = tree[index] -%}
    {%- if keys == "either" -%}
        {{ return(dbt_mview._affected_full_join(tree, path, below, index)) }}
    {%- elif node.op == "Join" -%} {{ return(dbt_mview._affected_join(tree, path, below, index)) }}
    {%- elif tree[below].inner -%} {{ return(dbt_mview._affected_subquery(tree, path, below)) }}
    {%- elif keys == "groups" -%}
        {%- set found = dbt_mview._affected_groups(node, path) -%}
        {{ return(dict(found, boundary=index, equal_only=path.not_image_equal)) }}
    {%- elif keys == "window" -%}
        {%- set found = dbt_mview._affected_window(node, path) -%}
        {%- set key_ids = dbt_mview._copies(tree, found.key_ids) -%}
        {{ return(dict(found, key_ids=key_ids, equal_only=path.not_image_equal)) }}
    {%- elif keys == "filter" -%} {{ return(dbt_mview._affected_filter(node, path)) }}
    {%- elif keys == "items" -%} {{ return(dbt_mview._affected_items(node, path)) }}
    {%- elif keys == "reference" -%}
        {{ return(dbt_mview._affected_reference(tree, path, below, index)) }}
    {%- elif keys == "union" -%} {{ return(dbt_mview._affected_union(tree, path, below, index)) }}
    {%- elif keys == "rows" and path.key_ids is none -%} {{ return({"boundary": none}) }}
    {%- elif keys == "distinct" -%} {{ return(dbt_mview._affected_distinct(tree, path, index)) }}
    {%- elif keys == "sets" -%} {{ return(dbt_mview._affected_sets(tree, path, below, index)) }}
    {%- elif keys == "same" -%} {{ return({}) }}
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
    {%- set keys = dbt_mview._rule_of(node, tree[below]).get("keys") -%}
    {%- set others = dbt_mview._other_side_ids(tree, below) -%}
    {%- set both = none if path.key_ids is none else path.key_ids + others -%}
    {%- set seen = dbt_mview._references_only(node, both, path.equal_only) -%}
    {%- set found = {"boundary": none, "ranks": []} -%}
    {%- if not keys -%} {{ return(dbt_mview._not_incremental(node)) }}
    {%- elif keys == "preserved" -%}
        {%- do found.update({"key_ids": both if seen else path.key_ids}) -%} {{ return(found) }}
    {%- elif not seen and (
        keys == "filtered"
        or not dbt_mview._joins_first_ranks(node, both, path.equal_only, path.ranks)
    ) -%}
        {{ return(dbt_mview._beyond_keys(node)) }}
    {%- endif -%}
    {%- if keys == "matched" -%}
        {%- set to_matches = path.to_matches + ([] if node.join_type == "LeftSemi" else [index]) -%}
        {%- do found.update(
            {
                "key_ids": others,
                "to_matches": to_matches,
                "equal_only": [],
                "matched": true,
            }
        ) -%}
    {%- elif keys == "both" -%} {%- do found.update({"key_ids": both}) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{#
A subquery that a filter asks whether it has rows, or one of some values, see _link_subqueries. The
answer for a row changes only with a row of the subquery that it is about: EXISTS over the old or
new changed rows holds for that row of the filter, whose own columns carry the keys. NOT IN is NOT
EXISTS where nothing is NULL; one NULL would change the answer for all rows.

Args: tree, path, below (index of the subquery's uppermost operator). Returns: what changes of path.
#}
{% macro _affected_subquery(tree, path, below) %}
    {%- set asked = tree[below].asked -%}
    {%- if asked.type == "not in" and not asked.without_null -%}
        {{ return({"matched": true, "reason": dbt_mview._not_in_of_null()}) }}
    {%- endif -%}
    {%- if asked.type in ["in", "not in"] -%}
        {%- for id in tree[below].output -%}
            {%- set known = path.key_ids is none or id in path.key_ids -%}
            {%- if not known or id in path.equal_only -%}
                {{ return({"reason": dbt_mview._reason("SUBQUERY_NOT_INCREMENTAL")}) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set negated = asked.type.startswith("not ") -%}
    {{
        return(
            {
                "key_ids": dbt_mview._ids_around_subquery(tree, below),
                "matched": true,
                "to_matches": path.to_matches + ([below] if negated else []),
                "equal_only": [],
                "boundary": none,
                "ranks": [],
            }
        )
    }}
{% endmacro %}


{# Returns: reason. #}
{% macro _not_in_of_null() %}
    {%- set detail = "NOT IN over columns that may be NULL" -%}
    {{ return(dbt_mview._reason("SUBQUERY_NOT_INCREMENTAL", detail, ["null_in_list"])) }}
{% endmacro %}


{# Args: node, where (what it looks at, string). Returns: mapping reason. #}
{% macro _not_incremental(node, where="") %}
    {%- set detail = dbt_mview._operator_name(node) ~ where -%}
    {{ return({"reason": dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail)}) }}
{% endmacro %}


{#
Args: node. Returns: mapping reason, where an operator references columns without affected keys.
#}
{% macro _beyond_keys(node) %}
    {{ return(dbt_mview._not_incremental(node, " over the optional side of a join")) }}
{% endmacro %}
