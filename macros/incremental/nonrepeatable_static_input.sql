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
Returns: named reason, or none.
#}
{% macro _nonrepeatable_static_input(tree, reads, changed, types="") %}
    {%- set means = (
        "\\b(?:try_|vector_)?"
        ~ "(?:avg|mean|std\\w*|var(?:iance|_\\w+)|corr|covar\\w*|regr_\\w+|skewness|kurtosis)\\("
    ) -%}
    {%- set above = dbt_mview._above_changed(tree, changed) -%}
    {%- set sums = [] -%}
    {%- for index in range(tree | length) if index not in above.all -%}
        {%- set node = tree[index] -%}
        {%- set partly = index in above.some -%}
        {%- if node.op in ["GlobalLimit", "LocalLimit", "Offset"] and not partly -%}
            {{ return("OPERATOR_NOT_INCREMENTAL: Limit beside a changed table") }}
        {%- elif node.op in ["Aggregate", "Window"] and not (
            partly
            and not dbt_mview._is_decided_by(tree, index, dbt_mview._values_of(node))
        ) -%}
            {%- if " more fields" in node.text -%}
                {{ return("OPERATOR_NOT_INCREMENTAL: more columns than the plan prints") }}
            {%- elif modules.re.search(means, node.text) -%}
                {{ return("OPERATOR_NOT_INCREMENTAL: a mean beside a changed table") }}
            {%- elif modules.re.search("\\b(?:try_|vector_)?sum\\(", node.text) -%}
                {%- do sums.append(index) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set floats = modules.re.search("float|double", types) -%}
    {%- if sums and (floats or dbt_mview._may_add_floats(tree, reads, sums)) -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: a sum of floats beside a changed table") }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether doubles or floats may be among what is added up: columns that are used below, or what is
made of others there. A result of another type may come from them, as a text shows every digit.

Args: tree, reads (see _canonical), sums (indexes of what adds up). Returns: bool.
#}
{% macro _may_add_floats(tree, reads, sums) %}
    {%- if reads.get("float_literal") -%} {{ return(true) }}{%- endif -%}
    {%- set makes = (
        "\\bas (?:double|float)\\)|(?:Double|Float)Type|\\b(?i:try_divide|months_between|"
        ~ "percent_rank|cume_dist|median|percentile\\w*|vector_\\w+|xpath_\\w+|pi|e)\\("
    ) -%}
    {%- set tables = {} -%}
    {%- set places = dbt_mview._occurrences(tree) -%}
    {%- for index in range(tree | length) if dbt_mview._leads_to(tree, index, sums) -%}
        {%- if modules.re.search(makes, tree[index].text) -%} {{ return(true) }}
        {%- elif index in places -%} {%- do tables.update({places[index].relation: true}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for relation in tables -%}
        {%- set columns = reads.columns[relation] -%}
        {%- set used = dbt_mview._column_pruning(reads, relation, columns) -%}
        {%- for column in columns if used is none or column.name in used -%}
            {%- if modules.re.search("float|double", column.type) -%}
                {{ return(true) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# Whether one index's values go into those of others, or the plan hides it. Returns: bool. #}
{% macro _leads_to(tree, index, others) %}
    {%- set at = namespace(node=index) -%}
    {%- for _ in tree if at.node is not none -%}
        {%- if at.node is string or at.node in others -%} {{ return(true) }}{%- endif -%}
        {%- set at.node = dbt_mview._parent(tree, at.node) -%}
    {%- endfor -%}
    {{ return(at.node is not none) }}
{% endmacro %}


{# Args: node (an Aggregate or Window). Returns: list of the ids of what it computes. #}
{% macro _values_of(node) %}
    {%- set lists = dbt_mview._lists(node) -%}
    {%- set ids = [] -%}
    {%- for item in (lists[0] if node.op == "Window" else lists[-1]) if lists -%}
        {%- set part = dbt_mview._plan_item(item) -%}
        {%- if part.alias or node.op == "Window" -%} {%- do ids.append(part.id) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(ids) }}
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
        {%- set at = namespace(node=leaf) -%}
        {%- for _ in tree if at.node is not none and at.node is not string -%}
            {%- do counts.update({at.node: counts.get(at.node, 0) + 1}) -%}
            {%- set at.node = dbt_mview._parent(tree, at.node) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set all_ = [] -%}
    {%- for index, count in counts.items() if count == places | length -%}
        {%- do all_.append(index) -%}
    {%- endfor -%}
    {{ return({"some": counts.keys() | list, "all": all_}) }}
{% endmacro %}
