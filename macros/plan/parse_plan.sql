{#
The text of an analyzed plan, read once into nodes. Outside of this folder nothing looks at the text
of a plan: others use the fields of nodes, see _plan_node, and the walkers of this folder.
#}
{#
The nodes of a plan, in the order of its text. A subquery of an expression is printed two levels
below the operator that holds it, a child one level below.

Args: plan (text). Returns: list of nodes, see _plan_node.
#}
{% macro _parse_plan(plan) %}
    {%- set nodes, path = [], [] -%}
    {%- for depth, op, rest in dbt_mview._plan_lines(plan) -%}
        {%- set index = loop.index0 -%}
        {%- for _ in range(depth, path | length) -%} {%- do path.pop() -%} {%- endfor -%}
        {%- set inner = path | length < depth -%}
        {%- set parent = path[-1] if path else none -%}
        {%- for _ in range(path | length, depth) -%} {%- do path.append(parent) -%} {%- endfor -%}
        {%- do path.append(index) -%}
        {%- set inner = inner or (depth > 1 and path[depth - 1] == path[depth - 2]) -%}
        {%- set text = rest.strip().replace("\n", " ") -%}
        {%- set siblings = [] if parent is none else nodes[parent].children -%}
        {%- do nodes.append(
            dbt_mview._plan_node(
                index, op, text, depth, parent, inner, siblings | length
            )
        ) -%}
        {%- if not inner -%} {%- do siblings.append(index) -%} {%- endif -%}
    {%- endfor -%}
    {%- do dbt_mview._link_ctes(nodes) -%}
    {%- do dbt_mview._link_subqueries(nodes) -%}
    {#- Children are printed below. -#}
    {%- for node in nodes | reverse -%}
        {%- do node.update({"output": dbt_mview._output_of(nodes, node)}) -%}
    {%- endfor -%}
    {{ return(nodes) }}
{% endmacro %}


{#
The operators of a plan as they are printed. Spark prints the line breaks of literals as they are:
such a line goes on with the operator before it.

Args: plan (text). Returns: list of depth (int, 0 at the root), operator, rest of its lines.
#}
{% macro _plan_lines(plan) %}
    {%- set operator = "(?m)(?:\\A|^((?:[: ]  )*[:+]- ))'?([A-Z]\\w*) ?" -%}
    {%- set parts = modules.re.split(operator, plan.strip()) -%}
    {#- Three parts for each: the lines in front of its name, the name, the rest. -#}
    {%- set found = [] -%}
    {%- for at in range(1, parts | length, 3) -%}
        {%- do found.append(((parts[at] or "") | length // 3, parts[at + 1], parts[at + 2])) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
The plan of a query as a tree of nodes. The two lines on top are the question's own, see _reads.
It is parsed once for each text, and kept beside it.

Args: reads (see _reads). Returns: see _parse_plan. Sets reads.parsed.
#}
{% macro _query_tree(reads) %}
    {%- if reads.get("parsed", {}).get("plan") != reads.plan -%}
        {%- set tree = dbt_mview._parse_plan(reads.plan) -%}
        {%- for node in tree[1:2] -%}
            {#- `select * from (query) where false`: its filter looks at nothing. -#}
            {%- do node.update({"op": "SubqueryAlias", "condition": none}) -%}
        {%- endfor -%}
        {%- do reads.update({"parsed": {"plan": reads.plan, "tree": tree}}) -%}
    {%- endif -%}
    {{ return(reads.parsed.tree) }}
{% endmacro %}


{#
Ties each CTE to where it is read, by its number. Args: nodes. Sets uses and definition of them.
#}
{% macro _link_ctes(nodes) %}
    {%- set definitions, uses = {}, {} -%}
    {%- for node in nodes if node.cte is not none -%}
        {%- if node.op == "CTERelationDef" -%}
            {%- do definitions.setdefault(node.cte, node.index) -%}
        {%- else -%} {%- do uses.setdefault(node.cte, []).append(node.index) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for node in nodes if node.cte is not none -%}
        {%- if node.op == "CTERelationDef" -%}
            {%- do node.update({"uses": uses.get(node.cte, [])}) -%}
        {%- else -%} {%- do node.update({"definition": definitions.get(node.cte)}) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}


{#
The columns that an operator puts out. Args: nodes, node (those below it have theirs). Returns: list
of ids; empty if they are not known.
#}
{% macro _output_of(nodes, node) %}
    {%- if node.op in ["Project", "Aggregate", "Expand", "CTERelationRef", "Relation"] -%}
        {{ return(node.columns | map(attribute="id") | list) }}
    {%- endif -%}
    {%- set join = node.join_type or "" -%}
    {%- set all_ = node.op == "WithCTE" or (join and "Semi" not in join and "Anti" not in join) -%}
    {%- set ids = [] -%}
    {%- for index in node.children if nodes[index].op != "CTERelationDef" -%}
        {%- if all_ or nodes[index].position == 0 -%}
            {%- do ids.extend(nodes[index].output) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if node.op == "Window" -%}
        {%- do ids.extend(node.columns | map(attribute="id") | list) -%}
    {%- endif -%}
    {{ return(ids) }}
{% endmacro %}
