{#
The analyzed plan as a tree, read from its text. A subquery of an expression is printed two levels
below the operator that holds it, a child one level below.

Args: plan (text, see _reads). Returns: list of nodes in the order of the text, each a mapping
    op        first word: Project, Join, Relation, ...
    text      the rest of the line
    depth     level, 0 at the root
    parent    index of the node above, or none
    inner     bool, whether it begins a subquery of an expression of its parent
    position  0, 1, ... among the children of its parent
#}
{% macro _plan_tree(plan) %}
    {%- set nodes = [] -%}
    {%- set path = [] -%}
    {%- set children = {} -%}
    {%- for line in plan.strip().splitlines() if line -%}
        {%- set match = modules.re.match("((?:[: ]  )*(?:[:+]- )?)'?(\\w*) ?(.*)", line) -%}
        {%- set depth = match.group(1) | length // 3 -%}
        {%- set index = nodes | length -%}
        {%- for _ in range(depth, path | length) -%} {%- do path.pop() -%} {%- endfor -%}
        {%- set inner = path | length < depth -%}
        {%- set parent = path[-1] if path else none -%}
        {%- for _ in range(path | length, depth) -%} {%- do path.append(parent) -%} {%- endfor -%}
        {%- do path.append(index) -%}
        {%- set inner = inner or (depth > 1 and path[depth - 1] == path[depth - 2]) -%}
        {%- set position = children.get(parent, 0) -%}
        {%- if not inner -%} {%- do children.update({parent: position + 1}) -%} {%- endif -%}
        {%- do nodes.append(
            {
                "op": match.group(2),
                "text": match.group(3),
                "depth": depth,
                "parent": parent,
                "inner": inner,
                "position": position,
            }
        ) -%}
    {%- endfor -%}
    {{ return(nodes) }}
{% endmacro %}
