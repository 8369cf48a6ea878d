{#
The analyzed plan as a tree, read from its text. A subquery of an expression is printed two levels
below the operator that holds it, a child one level below. Spark prints the line breaks of
literals as they are: such a line goes on with the operator before it.

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
    {%- set operator = "(?m)(?:\\A|^((?:[: ]  )*[:+]- ))'?([A-Z]\\w*) ?" -%}
    {%- set parts = modules.re.split(operator, plan.strip()) -%}
    {#- Three parts for each operator: the lines in front of its name, the name, the rest. -#}
    {%- for at in range(1, parts | length, 3) -%}
        {%- set depth = (parts[at] or "") | length // 3 -%}
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
                "op": parts[at + 1],
                "text": parts[at + 2].strip().replace("\n", " "),
                "depth": depth,
                "parent": parent,
                "inner": inner,
                "position": position,
            }
        ) -%}
    {%- endfor -%}
    {{ return(nodes) }}
{% endmacro %}


{# The tree of a query. The two lines on top are the question's own, see _reads. Args: plan. #}
{% macro _query_tree(plan) %}
    {%- set tree = dbt_mview._plan_tree(plan) -%}
    {#- `select * from (query) where false`: its filter looks at nothing. -#}
    {%- do tree[1].update({"op": "SubqueryAlias"}) -%}
    {{ return(tree) }}
{% endmacro %}
