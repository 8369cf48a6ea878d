{#
How the other operators carry affected keys, see _affected_step: groups, DISTINCT, INTERSECT and
EXCEPT, windows, filters, projections, CTEs, unions.
#}
{#
GROUP BY: a changed row touches its own group. The group keys that are computed from columns with
affected keys carry them, and so do grouping() and a constant beside them. Values do not.

Args: node, path. Returns: what changes of path.
#}
{% macro _affected_groups(node, path) %}
    {%- set grouping = node.group_keys | map(attribute="key") | list -%}
    {%- set key_ids = [] -%}
    {%- for column in node.columns if column.id is not none and not column.truncated -%}
        {%- set bit = dbt_mview._grouping_bit(column) -%}
        {%- set of_key = bit["key"] if bit else dbt_mview._as_group_key(column) -%}
        {%- set grouped = of_key in grouping -%}
        {%- set key = grouped and dbt_mview._carries_keys(column, path) -%}
        {%- if key or dbt_mview._is_constant(column) -%}
            {%- do key_ids.append(column.id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"key_ids": key_ids, "ranks": []}) }}
{% endmacro %}


{# DISTINCT is a group of all columns. Args: tree, path, index. Returns: as _affected_groups. #}
{% macro _affected_distinct(tree, path, index) %}
    {%- if not path.not_image_equal -%} {{ return({}) }}{%- endif -%}
    {%- set all_ = tree[index].output | select | list -%}
    {%- set key_ids = all_ if path.key_ids is none else path.key_ids -%}
    {{ return({"key_ids": key_ids, "equal_only": path.not_image_equal}) }}
{% endmacro %}


{#
INTERSECT and EXCEPT: a row of the result comes or goes only with an equal row of one side. While
all columns carry the keys, the delta term has that row, whole. EXCEPT then finds the changed rows
of its left side that it keeps; of its right side those that it would keep, if it were INTERSECT.
INTERSECT ALL and EXCEPT ALL count equal rows, and are refused.

Args, Returns: as _affected_join.
#}
{% macro _affected_sets(tree, path, below, index) %}
    {%- set node = tree[index] -%}
    {%- set counts = not dbt_mview._is_of_distinct_rows(node) -%}
    {%- if counts or path.key_ids is not none -%}
        {%- set what = " all" if counts else " over groups, windows or optional sides" -%}
        {{ return(dict(dbt_mview._not_incremental(node, what), matched=true)) }}
    {%- endif -%}
    {%- set to_matches = [index] if node.op == "Except" and tree[below].position == 1 else [] -%}
    {%- set all_ = tree[node.children[0]].output | select | list -%}
    {%- set found = {"to_matches": path.to_matches + to_matches, "boundary": none, "ranks": []} -%}
    {%- if path.not_image_equal -%}
        {%- do found.update({"key_ids": all_, "equal_only": path.not_image_equal}) -%}
    {%- endif -%}
    {{ return(dict(found, matched=true)) }}
{% endmacro %}


{# Any row of a changed row's partition may change. Args, Returns: as _affected_groups. #}
{% macro _affected_window(node, path) %}
    {%- set ids = dbt_mview._partition_ids(node) -%}
    {%- set key_ids = ids if path.key_ids is none else ids | select("in", path.key_ids) | list -%}
    {%- set ranks = path.ranks + dbt_mview._rank_ids(node) -%}
    {{ return({"key_ids": key_ids, "ranks": ranks, "boundary": none}) }}
{% endmacro %}


{#
A filter over columns with affected keys alone keeps a changed row and the row that shows its keys,
or neither. The first ranks of a window are in every partition; but maybe no row passes two filters
over windows below. What changes in the result of any other filter also changes below it: its
predicate is relaxed in the delta term.

Args, Returns: as _affected_groups.
#}
{% macro _affected_filter(node, path) %}
    {%- if dbt_mview._references_only(node, path.key_ids, path.equal_only) -%}
        {{ return({"boundary": none}) }}
    {%- endif -%}
    {%- if dbt_mview._ranks_kept(node, relaxed=true).id in path.ranks -%}
        {{ return({"ranks": [], "boundary": none}) }}
    {%- endif -%}
    {%- set ordinal = dbt_mview._relaxed_ordinal(node) -%}
    {%- if ordinal is none -%} {{ return(dbt_mview._beyond_keys(node)) }}{%- endif -%}
    {{ return({"relaxed": path.relaxed + [ordinal], "boundary": none}) }}
{% endmacro %}


{#
What is computed only from columns with affected keys carries them. An Expand makes several rows of
each. Args, Returns: as _affected_groups.
#}
{% macro _affected_items(node, path) %}
    {%- set found = {"ranks": [], "boundary": none} if node.op == "Expand" else {} -%}
    {%- if path.key_ids is none -%} {{ return(found) }}{%- endif -%}
    {%- set key_ids = path.key_ids | list -%}
    {%- for column in node.columns if column.alias and not column.truncated -%}
        {%- if dbt_mview._carries_keys(column, path) -%}
            {%- do key_ids.append(column.id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dict(found, key_ids=key_ids)) }}
{% endmacro %}


{#
A CTE has new ids where it is read, in the same order. The plan may leave out the last ones.

Args, Returns: as _affected_join.
#}
{% macro _affected_reference(tree, path, below, index) %}
    {%- if path.key_ids is none -%} {{ return({}) }}{%- endif -%}
    {%- set ids = tree[index].output -%}
    {%- set defined = tree[below + 1].output -%}
    {%- set known = (
        ids | length == defined | length
        and none not in ids[:-1] + defined[:-1]
        and tree[below + 1].op != "WithCTE"
    ) -%}
    {%- set found = {"key_ids": [], "ranks": []} -%}
    {%- for id in ids if known -%}
        {%- for name in ["key_ids", "ranks"] if defined[loop.index0] in path[name] -%}
            {%- do found[name].append(id) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
UNION ALL has the columns of its first branch, by position. What only one branch has, as the name of
a source, shows its rows. Args, Returns: as _affected_join.
#}
{% macro _affected_union(tree, path, below, index) %}
    {%- do path.unions.update({index: tree[below].position}) -%}
    {%- if path.key_ids is none -%} {{ return({"boundary": none}) }}{%- endif -%}
    {%- set ids = tree[index].output -%}
    {%- set branch = tree[below].output -%}
    {%- set told = (ids | length, ids | unique | list | length) == (branch | length,) * 2 -%}
    {%- set known = told and none not in ids + branch -%}
    {%- set key_ids = [] -%}
    {%- for id in branch if known -%}
        {%- if id in path.key_ids -%} {%- do key_ids.append(ids[loop.index0]) -%} {%- endif -%}
    {%- endfor -%}
    {{ return({"key_ids": key_ids, "ranks": [], "boundary": none}) }}
{% endmacro %}
