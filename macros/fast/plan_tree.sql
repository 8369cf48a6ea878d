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


{#
Splits a list as the plan prints it at its outer commas.

Args: text (string, without the outer brackets). Returns: list of strings.
#}
{% macro _split_list(text) %}
    {%- set parts = [] -%}
    {%- set at = namespace(depth=0, start=0) -%}
    {%- for char in text -%}
        {%- if char in "([{" -%} {%- set at.depth = at.depth + 1 -%}
        {%- elif char in ")]}" -%} {%- set at.depth = at.depth - 1 -%}
        {%- elif char == "," and at.depth == 0 -%}
            {%- do parts.append(text[at.start : loop.index0].strip()) -%}
            {%- set at.start = loop.index -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do parts.append(text[at.start :].strip()) -%}
    {{ return(parts | select | list) }}
{% endmacro %}


{#
The bracketed lists of an operator's line: `Aggregate [a], [a, b]` has two.

Args: text (string). Returns: list of lists of strings.
#}
{% macro _bracketed_lists(text) %}
    {%- set lists = [] -%}
    {%- for part in dbt_mview._split_list(text) if part.startswith("[") and part.endswith("]") -%}
        {%- do lists.append(dbt_mview._split_list(part[1:-1])) -%}
    {%- endfor -%}
    {{ return(lists) }}
{% endmacro %}
