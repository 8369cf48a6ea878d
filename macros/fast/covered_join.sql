{#
A join of the climb, see _covered_path. Inner joins and the preserved side of outer ones keep what
is covered, and add the columns of the other side, which does not change meanwhile. Through the
optional side, those rows of the other side change that match a changed row, of before or after: the
inner join finds them, and they are covered in their own columns. A condition over columns that are
not covered may miss rows; where this side is preserved it only decides what is added to them.

Args: tree, path, below (index of the side that changes), index. Returns: what changes of path.
#}
{% macro _covered_join(tree, path, below, index) %}
    {%- set node = tree[index] -%}
    {%- set kind = node.text.split(",")[0].strip() -%}
    {%- set side = tree[below].position -%}
    {%- set others = dbt_mview._ids_beside(tree, below) -%}
    {%- set both = none if path.sure is none else path.sure + others -%}
    {%- set seen = dbt_mview._is_over(node.text, both, path.alike) -%}
    {%- set found = {"core": none, "ranks": []} -%}
    {%- set optional = (kind, side) in [("LeftOuter", 1), ("RightOuter", 0)] -%}
    {%- if not optional and not dbt_mview._is_linear(node, tree[below]) -%}
        {{ return(dbt_mview._not_covered(node)) }}
    {%- elif kind in ["LeftOuter", "RightOuter"] and not optional -%}
        {%- do found.update({"sure": both if seen else path.sure}) -%} {{ return(found) }}
    {%- endif -%}
    {%- set filters = kind in ["LeftSemi", "LeftAnti"] -%}
    {%- if not seen and (filters or not dbt_mview._is_over_first_ranks(node.text, both, path)) -%}
        {{ return(dbt_mview._beyond(node)) }}
    {%- endif -%}
    {%- if optional -%}
        {%- do found.update({"sure": others, "turned": path.turned + [index], "alike": []}) -%}
    {%- elif kind in ["Inner", "Cross"] -%} {%- do found.update({"sure": both}) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether a join's condition is one over covered columns AND one for the first ranks of a window: the
latter is as good as a filter below the join.

Args: text (of a Join), both (ids, see _is_over), path. Returns: bool.
#}
{% macro _is_over_first_ranks(text, both, path) %}
    {%- set parts = modules.re.fullmatch("\\w+, \\((.*) AND (\\([^()]*\\))\\)", text) -%}
    {%- if not parts -%} {{ return(false) }}{%- endif -%}
    {{
        return(
            dbt_mview._first_ranks(parts.group(2)) in path.ranks
            and dbt_mview._is_over(parts.group(1), both, path.alike)
        )
    }}
{% endmacro %}


{# Args: node. Returns: mapping reason, where an operator looks at what is not covered. #}
{% macro _beyond(node) %}
    {{ return(dbt_mview._not_covered(node, " over the optional side of a join")) }}
{% endmacro %}


{#
The columns of the other side of a join: all that is named there, and not on this side.

Args: tree, index (of this side). Returns: list of ids.
#}
{% macro _ids_beside(tree, index) %}
    {%- set mine = dbt_mview._ids_below(tree, index) -%}
    {%- set found = [] -%}
    {%- for other in range(tree | length) -%}
        {%- set node = tree[other] -%}
        {%- if node.parent == tree[index].parent and not node.inner and other != index -%}
            {%- do found.extend(dbt_mview._ids_below(tree, other)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found | reject("in", mine) | unique | list) }}
{% endmacro %}


{# Args: tree, index. Returns: list of the ids that an operator and all below it name. #}
{% macro _ids_below(tree, index) %}
    {%- set ids = [] -%}
    {%- set at = namespace(open=true) -%}
    {%- for node in tree[index:] if at.open -%}
        {%- if not loop.first and node.depth <= tree[index].depth -%} {%- set at.open = false -%}
        {%- else -%} {%- do ids.extend(modules.re.findall("#(\\d+)", node.text)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(ids | unique | list) }}
{% endmacro %}
