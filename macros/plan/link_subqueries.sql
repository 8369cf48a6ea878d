{#
Subqueries of conditions: EXISTS, IN and their negations, by which a filter keeps rows as semi and
anti joins do.
#}
{#
What the filters of a plan ask of their subqueries. A condition among others joined by AND keeps no
row by itself, and drops those that it does not hold for; of any other, as one under OR, it is not
known which rows its change changes.

Args: nodes. Sets asked of the uppermost operator of each such subquery, see _plan_node.
#}
{% macro _link_subqueries(nodes) %}
    {%- set inner = {} -%}
    {%- for node in nodes if node.inner -%}
        {%- do inner.setdefault(node.parent, []).append(node) -%}
    {%- endfor -%}
    {%- for parent, subqueries in inner.items() if nodes[parent].op == "Filter" -%}
        {#- As they are printed below it, so are they in its text: `exists#9 [k#5]`. -#}
        {%- set ids = modules.re.findall("[a-z-]#(\\d+) \\[", nodes[parent].condition) -%}
        {%- set conditions = dbt_mview._conjuncts(nodes[parent]) -%}
        {%- for condition in conditions if ids | length == subqueries | length -%}
            {%- set found = modules.re.fullmatch(
                "(NOT )?(?:exists#(\\d+) \\[.*\\]|(.+) IN \\(list#(\\d+) \\[.*\\]\\))",
                condition,
            ) -%}
            {%- if found -%}
                {%- set not_, exists, value, list_ = found.groups() -%}
                {%- set top = subqueries[ids.index(exists or list_)] -%}
                {%- set type = ("not " if not_ else "") ~ ("exists" if exists else "in") -%}
                {%- set plain = "isnotnull(" ~ value ~ ")" in conditions -%}
                {%- do top.update(
                    {
                        "asked": {
                            "type": type,
                            "condition": condition,
                            "without_null": plain
                            and dbt_mview._is_without_null(nodes, top),
                        }
                    }
                ) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
{% endmacro %}


{#
The conditions that a filter joins by AND, as the plan brackets them two by two.

Args: node (a Filter; the text may have it relaxed, see _relax_predicates). Returns: list of texts.
#}
{% macro _conjuncts(node) %}
    {%- set found, parts = [], [dbt_mview._unrelaxed(node.condition)] -%}
    {%- for part in parts -%}
        {%- set pieces = [[]] -%}
        {%- set at = namespace(depth=0, joins=part[:1] == "(" and part[-1:] == ")") -%}
        {%- for sign in modules.re.split("([\\[\\](){}]| AND | OR )", part[1:-1]) if at.joins -%}
            {%- if sign in ["(", "[", "{"] -%} {%- set at.depth = at.depth + 1 -%}
            {%- elif sign in [")", "]", "}"] -%} {%- set at.depth = at.depth - 1 -%}
            {%- endif -%}
            {%- if at.depth < 0 or (at.depth == 0 and sign == " OR ") -%}
                {%- set at.joins = false -%}
            {%- elif at.depth == 0 and sign == " AND " -%} {%- do pieces.append([]) -%}
            {%- else -%} {%- do pieces[-1].append(sign) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if at.joins and pieces | length > 1 -%}
            {%- for piece in pieces -%} {%- do parts.append(piece | join) -%} {%- endfor -%}
        {%- else -%} {%- do found.append(part) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether the one column of a subquery is never NULL, because a filter of it says so: `select k from t
where k is not null`.

Args: nodes, top (the subquery's uppermost operator). Returns: bool.
#}
{% macro _is_without_null(nodes, top) %}
    {%- if top.op != "Project" or top.columns | length != 1 or top.columns[0].alias -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set says = "isnotnull(" ~ top.columns[0].reference ~ ")" -%}
    {%- set at = namespace(node=top) -%}
    {%- for _ in nodes if at.node.children -%}
        {%- set at.node = nodes[at.node.children[0]] -%}
        {%- if at.node.op == "Filter" and says in dbt_mview._conjuncts(at.node) -%}
            {{ return(true) }}
        {%- elif at.node.op not in ["Project", "Filter", "SubqueryAlias"] -%} {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{#
The columns of the rows that a filter keeps by a subquery: all that is named below it, and not in
the subquery but as a column of the query around it.

Args: tree, index (of the subquery's uppermost operator). Returns: list of ids.
#}
{% macro _ids_around_subquery(tree, index) %}
    {%- set inner = dbt_mview._ids_below(tree, index, own=true) -%}
    {%- set found = [] -%}
    {%- for child in tree[tree[index].parent].children -%}
        {%- do found.extend(dbt_mview._ids_below(tree, child)) -%}
    {%- endfor -%}
    {{ return(found | reject("in", inner) | unique | list) }}
{% endmacro %}


{#
A plan in the order of its text: WHERE and HAVING stand behind what they filter, where the plan has
their subqueries first.

Args: tree. Returns: list of indexes.
#}
{% macro _in_text_order(tree) %}
    {%- if not tree | selectattr("inner") | list -%}
        {{ return(range(tree | length) | list) }}
    {%- endif -%}
    {%- set inner = {} -%}
    {%- for node in tree if node.inner -%}
        {%- do inner.setdefault(node.parent, []).append(node.index) -%}
    {%- endfor -%}
    {%- set order, todo = [], [0] -%}
    {%- for _ in tree if todo -%}
        {%- set index = todo.pop() -%}
        {%- do order.append(index) -%}
        {%- set first, second = inner.get(index, []), tree[index].children -%}
        {%- set behind = tree[index].op in ["Filter", "Join"] -%}
        {%- set next = second + first if behind else first + second -%}
        {%- do todo.extend(next | reverse) -%}
    {%- endfor -%}
    {#- All of them, also of a text that is no plan. -#}
    {{ return(order + (range(tree | length) | reject("in", order) | list)) }}
{% endmacro %}
