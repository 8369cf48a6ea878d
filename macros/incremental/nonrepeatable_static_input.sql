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
    {%- set means = (
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
            {%- elif dbt_mview._adds_up(node, means) -%}
                {{
                    return(
                        dbt_mview._reason(
                            "OPERATOR_NOT_INCREMENTAL", "a mean beside a changed table"
                        )
                    )
                }}
            {%- elif dbt_mview._adds_up(node, "sum") -%} {%- do sums.append(index) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set floats = modules.re.search("float|double", types) -%}
    {%- set literal = reads.get("float_literal") -%}
    {%- if sums and (floats or literal or dbt_mview._adds_floats(tree, reads, sums)) -%}
        {{
            return(
                dbt_mview._reason(
                    "OPERATOR_NOT_INCREMENTAL", "a sum of floats beside a changed table"
                )
            )
        }}
    {%- endif -%}
    {{ return(none) }}
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
    {%- set places = [] -%}
    {%- for leaf, place in dbt_mview._occurrences(tree).items() if place.relation in changed -%}
        {%- do places.append(leaf) -%}
        {%- for index in [leaf] + dbt_mview._climb(tree, leaf).nodes -%}
            {%- do counts.update({index: counts.get(index, 0) + 1}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set all_ = [] -%}
    {%- for index, count in counts.items() if count == places | length -%}
        {%- do all_.append(index) -%}
    {%- endfor -%}
    {{ return({"some": counts.keys() | list, "all": all_}) }}
{% endmacro %}
