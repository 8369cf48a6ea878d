{#
The text of a plan as a tree of nodes, and the bracketed lists of a node. Outside of this folder
only incremental/ looks into the text of a node.
#}
{#
The analyzed plan as a tree, read from its text. A subquery of an expression is printed two levels
below the operator that holds it, a child one level below. Spark prints the line breaks of
literals as they are: such a line continues the operator before it.

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
    {#- `select * from (query) where false`: its filter references nothing. -#}
    {%- do tree[1].update({"op": "SubqueryAlias"}) -%}
    {{ return(tree) }}
{% endmacro %}


{#
The lists of an operator. An item of its output ends in the number of a column, so a comma in a
literal, which is printed without its quotes, does not split it: `CASE WHEN p THEN many, really
ELSE few END AS label#3` is one item. The items also show what the operator is grouped by; in other
lists a comma splits such an item.

Args: node (see _plan_tree). Returns: as _bracketed_lists.
#}
{% macro _lists(node) %}
    {%- set text = node.text -%}
    {%- if node.op in ["Relation", "RelationV2", "LocalRelation"] and "[" in text -%}
        {%- set text = text[text.index("[") : text.rindex("]") + 1] -%}
    {%- endif -%}
    {%- set lists = dbt_mview._bracketed_lists(text) -%}
    {%- set at = {"Project": 0, "Window": 0, "Aggregate": -1}.get(node.op) -%}
    {%- if at is none or not lists -%} {{ return(lists) }}{%- endif -%}
    {%- set items = [] -%}
    {%- set begun = [] -%}
    {%- for part in lists[at] -%}
        {%- do begun.append(part) -%}
        {%- if modules.re.search("#\\d+L?$|^\\.\\.\\. \\d+ more fields$", part) -%}
            {%- do items.append(begun | join(", ")) -%} {%- do begun.clear() -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if at == 0 -%} {{ return([items + begun] + lists[1:]) }}{%- endif -%}
    {%- set grouping = [dbt_mview._grouping(lists[0], items)] if lists | length > 1 else [] -%}
    {{ return(grouping + lists[1:-1] + [items + begun]) }}
{% endmacro %}


{# Args: node. Returns: list of strings, the first list of an operator. #}
{% macro _first_list(node) %}
    {%- set lists = dbt_mview._lists(node) -%} {{ return(lists[0] if lists else []) }}
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


{# Args: parts (of GROUP BY), items (of its Aggregate). Returns: list of what it is grouped by. #}
{% macro _grouping(parts, items) %}
    {%- set known = [] -%}
    {%- for item in items -%}
        {%- do known.append(dbt_mview._plan_item(item).expression) -%}
    {%- endfor -%}
    {%- set grouping = [] -%}
    {%- set at = namespace(next=0) -%}
    {%- for start in range(parts | length) if start >= at.next -%}
        {%- set found = namespace(text=parts[start], end=start + 1) -%}
        {%- for end in range(start + 1, parts | length + 1) -%}
            {%- set text = parts[start:end] | join(", ") -%}
            {%- if text in known -%}
                {%- set found.text = text -%} {%- set found.end = end -%}
            {%- endif -%}
        {%- endfor -%}
        {%- do grouping.append(found.text) -%} {%- set at.next = found.end -%}
    {%- endfor -%}
    {{ return(grouping) }}
{% endmacro %}
