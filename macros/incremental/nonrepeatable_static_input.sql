{#
Inputs that did not change are evaluated again in every delta term, so they must be repeatable: no
LIMIT, no sum of floats.
#}
{#
Inputs that did not change are evaluated again in every delta term, so they must be repeatable. A
LIMIT may take other rows. Doubles that are added up in another order may differ in their last
digit, and then the deleted row is not found in the view. An average adds up doubles, even one of
whole numbers.

What is above one changed table is such an input of another one. There it matters only if it decides
which rows there are: the delta term of the other table may then miss the deleted row.

Args: tree, reads (see _canonical), changed (names of tables), types (of the view's keys, as text).
Returns: reason, or none.
#}
{% macro _nonrepeatable_static_input(tree, reads, changed, types="") %}
    {%- set averaging = (
        "avg|mean|std\\w*|var(?:iance|_\\w+)|corr|covar\\w*|regr_\\w+|skewness|kurtosis"
    ) -%}
    {%- set above = dbt_mview._above_changed(tree, changed) -%}
    {%- set sums = [] -%}
    {%- for index in range(tree | length) if index not in above.all -%}
        {%- set node = tree[index] -%}
        {%- set partly = index in above.some -%}
        {%- if "chooses" in dbt_mview._rule_of(node).traits and not partly -%}
            {{
                return(
                    dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", "Limit beside a changed table")
                )
            }}
        {%- elif node.op in ["Aggregate", "Window"] and not (
            partly
            and not dbt_mview._is_decided_by(tree, index, dbt_mview._values_of(node))
        ) -%}
            {%- if node.truncated -%} {{ return(dbt_mview._truncated_plan()) }}
            {%- elif dbt_mview._adds_up(node, averaging) -%}
                {%- set which = dbt_mview._called_in(dbt_mview._adding(node, averaging)) -%}
                {%- set detail = "a mean beside a changed table" ~ which -%}
                {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail)) }}
            {%- elif dbt_mview._adds_up(node, "sum") -%} {%- do sums.append(index) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set floats = modules.re.search("float|double", types) -%}
    {%- set literal = reads.get("float_literal") -%}
    {%- set adds = dbt_mview._adds_floats(tree, reads, sums) if sums else none -%}
    {%- if sums and (floats or literal or adds is not none) -%}
        {%- set detail = "a sum of floats beside a changed table" ~ dbt_mview._called_in(adds) -%}
        {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail)) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
Args: columns (of an operator, see _plan_item; or none). Returns: string, ` (total, avg(n))`: those
    whose names say something; empty where none does.
#}
{% macro _called_in(columns) %}
    {%- set names = [] -%}
    {%- for column in columns or [] if column.name is not none -%}
        {%- set says = modules.re.fullmatch("\\w+(?:\\(\\w+\\))?", column.name) -%}
        {%- if says and column.name not in names -%}
            {%- do names.append(column.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(" (" ~ names[:3] | join(", ") ~ ")" if names else "") }}
{% endmacro %}


{# Args: node (an Aggregate or Window). Returns: list of the ids of what it computes. #}
{% macro _values_of(node) %}
    {%- set made = node.columns | selectattr("alias") | list -%}
    {%- set made = node.columns if node.op == "Window" else made -%}
    {{ return(made | map(attribute="id") | list) }}
{% endmacro %}


{#
Args: tree, changed (names of tables).
Returns: mapping some, all: lists of the indexes of what is above one changed source occurrence
    (with the occurrence itself), and above each of them.
#}
{% macro _above_changed(tree, changed) %}
    {%- set counts = {} -%}
    {%- set leaves = [] -%}
    {%- for leaf, source in dbt_mview._occurrences(tree).items() if source.relation in changed -%}
        {%- do leaves.append(leaf) -%}
        {%- for index in [leaf] + dbt_mview._climb(tree, leaf).nodes -%}
            {%- do counts.update({index: counts.get(index, 0) + 1}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set all_ = [] -%}
    {%- for index, count in counts.items() if count == leaves | length -%}
        {%- do all_.append(index) -%}
    {%- endfor -%}
    {{ return({"some": counts.keys() | list, "all": all_}) }}
{% endmacro %}


{#
Whether some values decide which rows there are: a filter, a join or a group above references them,
or the plan does not show it.

Args: tree, index (of the operator that computes them), ids (of these values). Returns: bool.
#}
{% macro _is_decided_by(tree, index, ids) %}
    {%- set way = dbt_mview._climb(tree, index) -%}
    {%- set at = namespace(ids=ids) -%}
    {%- for above in way.nodes -%}
        {%- set below = ([index] + way.nodes)[loop.index0] -%}
        {%- set found = dbt_mview._ids_from(tree, below, above, at.ids) -%}
        {%- if found is none -%} {{ return(true) }}{%- endif -%}
        {%- set at.ids = (at.ids + found) | unique | list -%}
    {%- endfor -%}
    {{ return(way.reason is not none) }}
{% endmacro %}


{#
What an operator makes of some values of the one below.

Args: tree, below, index, ids. Returns: list of ids; none if it decides by them which rows there
    are, or if that is not known.
#}
{% macro _ids_from(tree, below, index, ids) %}
    {%- set node = tree[index] -%}
    {%- set traits = dbt_mview._rule_of(node).traits -%}
    {%- set found = [] -%}
    {%- if tree[below].inner -%} {{ return(none) }} {%- elif "passes" in traits -%} {{ return([]) }}
    {%- elif node.truncated -%} {{ return(none) }}
    {%- endif -%}
    {%- if node.op == "CTERelationRef" -%}
        {%- for id, defined in (dbt_mview._read_from_cte(tree, node) or {}).items() -%}
            {%- if defined in ids -%} {%- do found.append(id) -%} {%- endif -%}
        {%- else -%} {{ return(none) }}
        {%- endfor -%}
    {%- elif node.op == "Union" -%}
        {%- set branch = tree[below].output -%}
        {%- if branch | length != node.output | length -%} {{ return(none) }}
        {%- endif -%}
        {%- for id in branch -%}
            {%- if id in ids -%} {%- do found.append(node.output[loop.index0]) -%} {%- endif -%}
        {%- endfor -%}
        {%- elif "decides" in traits -%}
        {{ return(none if dbt_mview._are_any_in(node.references, ids) else []) }}
        {%- elif "computes" in traits and node.columns -%}
        {%- if dbt_mview._are_any_in(node.decides, ids) -%} {{ return(none) }}
        {%- endif -%}
        {%- for column in node.columns -%}
            {%- if column.id in ids or dbt_mview._are_any_in(column.references, ids) -%}
                {%- do found.append(column.id) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%} {{ return(none) }}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
