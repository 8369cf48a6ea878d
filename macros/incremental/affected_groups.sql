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
    {%- set sure = [] -%}
    {%- for column in node.columns if column.id is not none and not column.truncated -%}
        {%- set bit = dbt_mview._grouping_bit(column) -%}
        {%- set of_key = bit["key"] if bit else dbt_mview._as_group_key(column) -%}
        {%- set grouped = of_key in grouping -%}
        {%- set key = grouped and dbt_mview._carries_keys(column, path) -%}
        {%- if key or dbt_mview._is_constant(column) -%}
            {%- do sure.append(column.id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"sure": sure, "ranks": []}) }}
{% endmacro %}


{# DISTINCT is a group of all columns. Args: tree, path, index. Returns: as _affected_groups. #}
{% macro _affected_distinct(tree, path, index) %}
    {%- if not path.coarse -%} {{ return({}) }}{%- endif -%}
    {%- set all_ = tree[index].output | select | list -%}
    {{ return({"sure": all_ if path.sure is none else path.sure, "alike": path.coarse}) }}
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
    {%- if counts or path.sure is not none -%}
        {%- set what = " all" if counts else " over groups, windows or optional sides" -%}
        {{ return(dict(dbt_mview._not_incremental(node, what), matched=true)) }}
    {%- endif -%}
    {%- set to_matches = [index] if node.op == "Except" and tree[below].position == 1 else [] -%}
    {%- set all_ = tree[node.children[0]].output | select | list -%}
    {%- set found = {"to_matches": path.to_matches + to_matches, "core": none, "ranks": []} -%}
    {%- if path.coarse -%}
        {%- do found.update({"sure": all_, "alike": path.coarse}) -%}
    {%- endif -%}
    {{ return(dict(found, matched=true)) }}
{% endmacro %}


{# Any row of a changed row's partition may change. Args, Returns: as _affected_groups. #}
{% macro _affected_window(node, path) %}
    {%- set ids = dbt_mview._partition_ids(node) -%}
    {%- set sure = ids if path.sure is none else ids | select("in", path.sure) | list -%}
    {{ return({"sure": sure, "ranks": path.ranks + dbt_mview._rank_ids(node), "core": none}) }}
{% endmacro %}


{#
A filter over columns with affected keys alone keeps a changed row and the row that shows its keys,
or neither. The first ranks of a window are in every partition; but maybe no row passes two filters
over windows below. What changes in the result of any other filter also changes below it: its
predicate is relaxed in the delta term.

Args, Returns: as _affected_groups.
#}
{% macro _affected_filter(node, path) %}
    {%- if dbt_mview._references_only(node, path.sure, path.alike) -%}
        {{ return({"core": none}) }}
    {%- endif -%}
    {%- if dbt_mview._ranks_kept(node, relaxed=true).id in path.ranks -%}
        {{ return({"ranks": [], "core": none}) }}
    {%- endif -%}
    {%- set ordinal = dbt_mview._relaxed_ordinal(node) -%}
    {%- if ordinal is none -%} {{ return(dbt_mview._beyond_keys(node)) }}{%- endif -%}
    {{ return({"relaxed": path.relaxed + [ordinal], "core": none}) }}
{% endmacro %}


{#
What is computed only from columns with affected keys carries them. An Expand makes several rows of
each. Args, Returns: as _affected_groups.
#}
{% macro _affected_items(node, path) %}
    {%- set found = {"ranks": [], "core": none} if node.op == "Expand" else {} -%}
    {%- if path.sure is none -%} {{ return(found) }}{%- endif -%}
    {%- set sure = path.sure | list -%}
    {%- for column in node.columns if column.alias and not column.truncated -%}
        {%- if dbt_mview._carries_keys(column, path) -%}
            {%- do sure.append(column.id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dict(found, sure=sure)) }}
{% endmacro %}


{#
A CTE has new ids where it is read, in the same order. The plan may leave out the last ones.

Args, Returns: as _affected_join.
#}
{% macro _affected_reference(tree, path, below, index) %}
    {%- if path.sure is none -%} {{ return({}) }}{%- endif -%}
    {%- set ids = tree[index].output -%}
    {%- set defined = tree[below + 1].output -%}
    {%- set known = (
        ids | length == defined | length
        and none not in ids[:-1] + defined[:-1]
        and tree[below + 1].op != "WithCTE"
    ) -%}
    {%- set found = {"sure": [], "ranks": []} -%}
    {%- for id in ids if known -%}
        {%- for name in ["sure", "ranks"] if defined[loop.index0] in path[name] -%}
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
    {%- if path.sure is none -%} {{ return({"core": none}) }}{%- endif -%}
    {%- set ids = tree[index].output -%}
    {%- set branch = tree[below].output -%}
    {%- set told = (ids | length, ids | unique | list | length) == (branch | length,) * 2 -%}
    {%- set known = told and none not in ids + branch -%}
    {%- set sure = [] -%}
    {%- for id in branch if known -%}
        {%- if id in path.sure -%} {%- do sure.append(ids[loop.index0]) -%} {%- endif -%}
    {%- endfor -%}
    {{ return({"sure": sure, "ranks": [], "core": none}) }}
{% endmacro %}
