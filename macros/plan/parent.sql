{#
The way through a plan: from a node to its parent, through references of CTEs, up to the result; the
occurrences of sources; what is on the other side of a join.
#}
{#
The node above, through the reference of a CTE or the filter that asks a subquery; or the reason why
the climb ends here.

Args: tree, index. Returns: index, none at the root, or a reason.
#}
{% macro _parent(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.inner and not node.asked -%}
        {{ return(dbt_mview._reason("SUBQUERY_NOT_INCREMENTAL")) }}
    {%- elif node.uses is none -%} {{ return(node.parent) }}
    {%- elif node.uses | length != 1 -%}
        {%- set detail = "a CTE that is read " ~ (node.uses | length) ~ " times" -%}
        {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail, ["cte_is_kept"])) }}
    {%- endif -%}
    {{ return(node.uses[0]) }}
{% endmacro %}


{#
The way from a node up to the result.

Args: tree, index. Returns: mapping nodes (indexes of those above it, the next one first), reason
    (why it ends before the result; none if it does not).
#}
{% macro _climb(tree, index) %}
    {%- set way = {"nodes": [], "reason": none} -%}
    {%- set at = namespace(node=index) -%}
    {%- for _ in tree if at.node is not none -%}
        {%- set above = dbt_mview._parent(tree, at.node) -%}
        {%- if above is mapping -%} {%- do way.update({"reason": above}) -%}
        {%- elif above is not none -%} {%- do way.nodes.append(above) -%}
        {%- endif -%}
        {%- set at.node = none if above is mapping else above -%}
    {%- endfor -%}
    {{ return(way) }}
{% endmacro %}


{#
The ways from a node up to the lowest of these unions, or to the result; there are several through
a CTE that is read several times.

Args: tree, index, unions (see _linear_path). Returns: list of mappings other (bool, whether it is
    another branch than that of the path), through (list of the nodes between).
#}
{% macro _branches_of(tree, index, unions) %}
    {%- set through = [] -%}
    {%- set at = namespace(node=index) -%}
    {%- for _ in tree if at.node is not none -%}
        {%- set node = tree[at.node] -%}
        {%- if node.uses is not none -%}
            {%- set found = [] -%}
            {%- for use in node.uses -%}
                {%- for branch in dbt_mview._branches_of(tree, use, unions) -%}
                    {%- do found.append(dict(branch, through=through + branch.through)) -%}
                {%- endfor -%}
            {%- endfor -%}
            {{ return(found) }}
        {%- elif node.parent in unions -%}
            {%- set other = node.position != unions[node.parent] -%}
            {{ return([{"other": other, "through": through}]) }}
        {%- endif -%}
        {%- set at.node = node.parent -%}
        {%- if at.node is not none -%} {%- do through.append(tree[at.node]) -%} {%- endif -%}
    {%- endfor -%}
    {{ return([{"other": false, "through": through}]) }}
{% endmacro %}


{#
The tables of the plan. Args: tree.
Returns: mapping index -> mapping relation, name (the relation and which time the text names it).
#}
{% macro _occurrences(tree) %}
    {%- set occurrences = {} -%}
    {%- set times, names = {}, {} -%}
    {%- for index in dbt_mview._in_text_order(tree) if tree[index].relation -%}
        {%- set relation = tree[index].relation -%}
        {%- set ordinal = times.get(relation, 0) -%}
        {%- do times.update({relation: ordinal + 1}) -%}
        {%- do names.update({index: relation ~ " " ~ ordinal}) -%}
    {%- endfor -%}
    {%- for node in tree if node.relation -%}
        {%- do occurrences.update(
            {node.index: {"relation": node.relation, "name": names[node.index]}}
        ) -%}
    {%- endfor -%}
    {{ return(occurrences) }}
{% endmacro %}


{# Returns: the first of these tables of which the plan does not show all occurrences, or none. #}
{% macro _missing_occurrence(occurrences, reads, changed) %}
    {%- for relation in changed -%}
        {%- set seen = occurrences.values() | selectattr("relation", "equalto", relation) | list -%}
        {%- if seen | length != reads.occurrences.count(relation) -%}
            {{ return(relation) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
The columns of the other side of a join: all that is named there, and not on this side.

Args: tree, index (of this side). Returns: list of ids.
#}
{% macro _other_side_ids(tree, index) %}
    {%- set mine = dbt_mview._ids_below(tree, index) -%}
    {%- set found = [] -%}
    {%- for other in tree[tree[index].parent].children if other != index -%}
        {%- do found.extend(dbt_mview._ids_below(tree, other)) -%}
    {%- endfor -%}
    {{ return(found | reject("in", mine) | unique | list) }}
{% endmacro %}


{#
The ids that an operator and all below it name. Args: tree, index, own (bool: without those that a
subquery names of the query around it, `outer(k#5)`). Returns: list of ids.
#}
{% macro _ids_below(tree, index, own=false) %}
    {%- set ids = [] -%}
    {%- set at = namespace(open=true) -%}
    {%- for node in tree[index:] if at.open -%}
        {%- if not loop.first and node.depth <= tree[index].depth -%} {%- set at.open = false -%}
        {%- elif own -%}
            {%- do ids.extend(
                modules.re.findall("#(\\d+)", dbt_mview._without_outer(node.text))
            ) -%}
        {%- else -%} {%- do ids.extend(node.references) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(ids | unique | list) }}
{% endmacro %}


{#
What a reference to a CTE reads: the columns of the definition, by their places.

Args: tree, node (a CTERelationRef). Returns: mapping id of the reference -> id in the definition;
    none if these are not known.
#}
{% macro _read_from_cte(tree, node) %}
    {%- set defined = [] if node.definition is none else tree[node.definition + 1].output -%}
    {%- if node.output | length != defined | length -%} {{ return(none) }}{%- endif -%}
    {%- set read = {} -%}
    {%- for id in node.output -%} {%- do read.update({id: defined[loop.index0]}) -%} {%- endfor -%}
    {{ return(read) }}
{% endmacro %}


{# Args: node. Returns: string, the operator as a user of SQL knows it. #}
{% macro _operator_name(node) %}
    {%- if node.op == "Join" -%} {{ return("Join " ~ node.join_type) }}{%- endif -%}
    {{ return("Limit" if node.op in ["GlobalLimit", "LocalLimit"] else node.op) }}
{% endmacro %}
