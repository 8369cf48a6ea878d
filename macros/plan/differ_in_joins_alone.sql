{# The outer joins of a plan, and whether another plan differs from it in some of them alone. #}
{#
Whether a plan is another one with these joins as inner ones. The engine numbers the columns and
CTEs of each plan anew. Args: tree, turned (tree), joins (indexes). Returns: bool.
#}
{% macro _differ_in_joins_alone(tree, turned, joins) %}
    {%- if tree | length != turned | length -%} {{ return(false) }}{%- endif -%}
    {%- set ids = {} -%}
    {%- for node in tree -%}
        {%- set other = turned[loop.index0] -%}
        {%- set kind = "^(?:Left|Right)Outer" if loop.index0 in joins else "(?!)" -%}
        {%- set text = modules.re.sub(kind, "Inner", node.text) -%}
        {%- set number = "(#\\d+)" if node.cte is none else "((?:^|#)\\d+)" -%}
        {%- set ours = modules.re.split(number, text) -%}
        {%- set theirs = modules.re.split(number, other.text) -%}
        {%- if (node.op, node.depth, ours[::2]) != (other.op, other.depth, theirs[::2]) -%}
            {{ return(false) }}
        {%- endif -%}
        {%- for id in ours[1::2] -%}
            {%- set theirs_id = theirs[2 * loop.index0 + 1] -%}
            {%- if ids.setdefault(id, theirs_id) != theirs_id -%} {{ return(false) }}{%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{#
The outer joins of a plan in the order of their words in the text: a join's words stand in front of
its right side.

Args: tree. Returns: list of indexes.
#}
{% macro _outer_joins(tree) %}
    {%- set joins = [] -%}
    {%- for node in tree if node.position == 1 and not node.inner -%}
        {%- if tree[node.parent].join_type in ["LeftOuter", "RightOuter"] -%}
            {%- do joins.append(node.parent) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(joins) }}
{% endmacro %}
