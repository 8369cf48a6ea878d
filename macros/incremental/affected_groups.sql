{# The same step for the other operators: groups, windows, filters, projections, CTEs, unions. #}
{#
GROUP BY: a changed row touches its own group. The group keys that are computed from columns with
affected keys carry them, and so does a constant beside them. Values do not.

Args: node, path. Returns: what changes of path.
#}
{% macro _affected_groups(node, path) %}
    {%- set lists = dbt_mview._lists(node) -%}
    {%- set grouping = [] -%}
    {%- for text in lists[0] if lists | length == 2 -%}
        {%- do grouping.append(dbt_mview._nameless(text)) -%}
    {%- endfor -%}
    {%- set constant = "[\\w ]+|cast\\(null as [\\w(),]+\\)" -%}
    {%- set sure = [] -%}
    {%- for item in lists[-1] if lists | length in [1, 2] and " more fields" not in item -%}
        {%- set part = dbt_mview._plan_item(item) -%}
        {%- set grouped = dbt_mview._as_group_key(part.expression) in grouping -%}
        {%- set key = grouped and dbt_mview._references_only(
            part.expression, path.sure, path.alike
        ) -%}
        {%- set key = key or modules.re.fullmatch(constant, part.expression) -%}
        {%- if key and part.id is not none -%} {%- do sure.append(part.id) -%} {%- endif -%}
    {%- endfor -%}
    {{ return({"sure": sure, "ranks": []}) }}
{% endmacro %}


{# DISTINCT is a group of all columns. Args: tree, path, index. Returns: as _affected_groups. #}
{% macro _affected_distinct(tree, path, index) %}
    {%- if not path.coarse -%} {{ return({}) }}{%- endif -%}
    {%- set all_ = dbt_mview._output_ids(tree, index) | select | list -%}
    {{ return({"sure": all_ if path.sure is none else path.sure, "alike": path.coarse}) }}
{% endmacro %}


{# Any row of a changed row's partition may change. Args, Returns: as _affected_groups. #}
{% macro _affected_window(node, path) %}
    {%- set lists = dbt_mview._lists(node) -%}
    {%- set ids = dbt_mview._partition_ids(lists) -%}
    {%- set sure = ids if path.sure is none else ids | select("in", path.sure) | list -%}
    {{ return({"sure": sure, "ranks": path.ranks + dbt_mview._rank_ids(lists), "core": none}) }}
{% endmacro %}


{#
A filter over columns with affected keys alone keeps a changed row and the row that shows its keys,
or neither. The first ranks of a window are in every partition; but maybe no row passes two filters
over windows below. What changes in the result of any other filter also changes below it: its
predicate is relaxed in the delta term.

Args, Returns: as _affected_groups.
#}
{% macro _affected_filter(node, path) %}
    {%- if dbt_mview._references_only(node.text, path.sure, path.alike) -%}
        {{ return({"core": none}) }}
    {%- endif -%}
    {%- set first = dbt_mview._first_ranks(dbt_mview._unrelaxed_predicate(node)) -%}
    {%- if first in path.ranks -%} {{ return({"ranks": [], "core": none}) }}{%- endif -%}
    {%- set rank = dbt_mview._relaxed_rank(node) -%}
    {%- if rank is none -%} {{ return(dbt_mview._beyond_keys(node)) }}{%- endif -%}
    {{ return({"opened": path.opened + [rank], "core": none}) }}
{% endmacro %}


{#
What is computed only from columns with affected keys carries them. Args, Returns: as
_affected_groups.
#}
{% macro _affected_items(node, path) %}
    {%- if path.sure is none -%} {{ return({}) }}{%- endif -%}
    {%- set sure = path.sure | list -%}
    {%- for item in dbt_mview._first_list(node) -%}
        {%- set part = dbt_mview._plan_item(item) -%}
        {%- if part.alias and dbt_mview._references_only(part.expression, path.sure, path.alike) -%}
            {%- do sure.append(part.id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"sure": sure}) }}
{% endmacro %}


{#
A CTE has new ids where it is read, in the same order. The plan may leave out the last ones.

Args, Returns: as _affected_join.
#}
{% macro _affected_reference(tree, path, below, index) %}
    {%- if path.sure is none -%} {{ return({}) }}{%- endif -%}
    {%- set ids = dbt_mview._ids(dbt_mview._first_list(tree[index])) -%}
    {%- set defined = dbt_mview._output_ids(tree, below + 1) -%}
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
    {%- set ids = dbt_mview._output_ids(tree, index) -%}
    {%- set branch = dbt_mview._output_ids(tree, below) -%}
    {%- set told = (ids | length, ids | unique | list | length) == (branch | length,) * 2 -%}
    {%- set known = told and none not in ids + branch -%}
    {%- set sure = [] -%}
    {%- for id in branch if known -%}
        {%- if id in path.sure -%} {%- do sure.append(ids[loop.index0]) -%} {%- endif -%}
    {%- endfor -%}
    {{ return({"sure": sure, "ranks": [], "core": none}) }}
{% endmacro %}
