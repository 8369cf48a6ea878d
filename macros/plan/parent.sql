{#
The way through a plan: from a node to its parent, through references of CTEs, the occurrences of
sources, and the ids that a node puts out.
#}
{#
The node above, through the reference of a CTE; or the reason why the climb ends here.

Args: tree, index. Returns: index, none at the root, or a reason (string).
#}
{% macro _parent(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.inner -%} {{ return("SUBQUERY_NOT_INCREMENTAL") }}{%- endif -%}
    {%- set uses = dbt_mview._uses_of_cte(tree, node) -%}
    {%- if uses is none -%} {{ return(node.parent) }}
    {%- elif uses | length != 1 -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: a CTE that is read " ~ uses | length ~ " times") }}
    {%- endif -%}
    {{ return(uses[0]) }}
{% endmacro %}


{# Where a CTE is read. Args: tree, node. Returns: list of indexes; none if node is no CTE. #}
{% macro _uses_of_cte(tree, node) %}
    {%- if node.op != "CTERelationDef" -%} {{ return(none) }}{%- endif -%}
    {%- set id = node.text.split(",")[0] -%}
    {%- set uses = [] -%}
    {%- for other in tree -%}
        {%- if other.op == "CTERelationRef" and other.text.split(",")[0] == id -%}
            {%- do uses.append(loop.index0) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(uses) }}
{% endmacro %}


{#
The tables of the plan. Args: tree.
Returns: mapping index -> mapping relation, name (the relation and which time it is read).
#}
{% macro _occurrences(tree) %}
    {%- set places = {} -%}
    {%- set times = {} -%}
    {%- for node in tree -%}
        {%- set relation = dbt_mview._relation_name(node) -%}
        {%- if relation -%}
            {%- set turn = times.get(relation, 0) -%}
            {%- do times.update({relation: turn + 1}) -%}
            {%- do places.update(
                {loop.index0: {"relation": relation, "name": relation ~ " " ~ turn}}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(places) }}
{% endmacro %}


{# Args: node. Returns: string catalog.schema.identifier of a table in the plan, else none. #}
{% macro _relation_name(node) %}
    {%- if node.op not in ["Relation", "RelationV2"] -%} {{ return(none) }}{%- endif -%}
    {%- set text = node.text if node.op == "Relation" else node.text.split("] ")[-1] -%}
    {{ return(dbt_mview._name_parts(modules.re.split("[\\[, ]", text)[0]) | join(".")) }}
{% endmacro %}


{# Returns: the first of these tables of which the plan lacks an occurrence, or none. #}
{% macro _missing_occurrence(places, reads, changed) %}
    {%- for relation in changed -%}
        {%- set seen = places.values() | selectattr("relation", "equalto", relation) | list -%}
        {%- if seen | length != reads.places.count(relation) -%}
            {{ return(relation) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Args: tree, index. Returns: list of the ids of an operator's columns; empty if not known. #}
{% macro _output_ids(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.op in ["Project", "Aggregate", "CTERelationRef", "Relation"] -%}
        {%- set lists = dbt_mview._lists(node) -%}
        {{ return(dbt_mview._ids(lists[-1]) if lists else []) }}
    {%- endif -%}
    {%- set ids = [] -%}
    {%- for child in tree -%}
        {%- if child.parent == index and not child.inner and child.op != "CTERelationDef" -%}
            {%- set kind = node.text.split(",")[0] -%}
            {%- set both = node.op == "Join" and "Semi" not in kind and "Anti" not in kind -%}
            {%- if child.position == 0 or both or node.op == "WithCTE" -%}
                {%- do ids.extend(dbt_mview._output_ids(tree, loop.index0)) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if node.op == "Window" -%}
        {%- do ids.extend(dbt_mview._ids(dbt_mview._first_list(node))) -%}
    {%- endif -%}
    {{ return(ids) }}
{% endmacro %}


{#
What a reference to a CTE reads: the columns of the definition, by position.

Args: tree, node (a CTERelationRef). Returns: mapping id of the reference -> id in the definition;
    none if these are not known.
#}
{% macro _read_from_cte(tree, node) %}
    {%- set ids = dbt_mview._ids(dbt_mview._first_list(node)) -%}
    {%- set defined = dbt_mview._defined_ids(tree, node.text.split(",")[0]) -%}
    {%- if ids | length != defined | length -%} {{ return(none) }}{%- endif -%}
    {%- set read = {} -%}
    {%- for id in ids -%} {%- do read.update({id: defined[loop.index0]}) -%} {%- endfor -%}
    {{ return(read) }}
{% endmacro %}


{# Args: tree, cte (its number). Returns: list of the ids of its columns; empty if not known. #}
{% macro _defined_ids(tree, cte) %}
    {%- for node in tree -%}
        {%- if node.op == "CTERelationDef" and node.text.split(",")[0] == cte -%}
            {{ return(dbt_mview._output_ids(tree, loop.index0 + 1)) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return([]) }}
{% endmacro %}


{#
The columns of the other side of a join: all that is named there, and not on this side.

Args: tree, index (of this side). Returns: list of ids.
#}
{% macro _other_side_ids(tree, index) %}
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
