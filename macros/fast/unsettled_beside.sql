{#
What stands beside the changed tables is computed in each term and with the view's own rows, every
time anew, and has to be the same each time. A LIMIT may take other rows; and doubles that are added
up in another order may differ in their last digit, so that the row that went is not the view's.

Args: tree, reads (see _reads), changed (names of tables). Returns: named reason, or none.
#}
{% macro _unsettled_beside(tree, reads, changed) %}
    {%- set above = dbt_mview._above_changed(tree, changed) -%}
    {%- set adds_up = (
        "\\b(?:try_)?(?:avg|mean|sum|std\\w*|var\\w*|corr|covar\\w*|regr_\\w+|skewness|kurtosis)"
        ~ "\\("
    ) -%}
    {%- set sums = [] -%}
    {%- for index in range(tree | length) if index not in above -%}
        {%- set node = tree[index] -%}
        {%- if node.op in ["GlobalLimit", "LocalLimit", "Offset"] -%}
            {{ return("OPERATOR_NOT_INCREMENTAL: Limit beside a changed table") }}
        {%- elif node.op in ["Aggregate", "Window"] and modules.re.search(adds_up, node.text) -%}
            {%- do sums.append(node) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- A mean of whole numbers is none, and another one may add it up. -#}
    {%- set texts = sums | map(attribute="text") | join(" ") -%}
    {%- set nested = sums | length > 1 and modules.re.search(adds_up.replace("sum|", ""), texts) -%}
    {%- if sums and (nested or dbt_mview._may_have_floats(reads)) -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: a sum of floats beside a changed table") }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether doubles or floats may be among what a query adds up: columns that it uses, or what it makes
of others. A result of another type may come from them, as a text shows every digit.

Args: reads (see _reads). Returns: bool.
#}
{% macro _may_have_floats(reads) %}
    {%- if modules.re.search("\\bas (?:double|float)\\)| / ", reads.plan) -%}
        {{ return(true) }}
    {%- endif -%}
    {%- for relation in reads.tables -%}
        {%- set columns = dbt_mview._describe_query(
            "select * from " ~ dbt_mview._quoted_name(relation)
        ) -%}
        {%- set used = dbt_mview._used_columns(reads, relation, columns) -%}
        {%- for column in columns if used is none or column.name in used -%}
            {%- if modules.re.search("float|double| more fields", column.type) -%}
                {{ return(true) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# Args: tree, changed. Returns: mapping, the indexes of changed tables and of all above as keys. #}
{% macro _above_changed(tree, changed) %}
    {%- set above = {} -%}
    {%- for leaf, place in dbt_mview._places_in_plan(tree).items() if place.relation in changed -%}
        {%- set at = namespace(node=leaf) -%}
        {%- for _ in tree if at.node is not none and at.node is not string -%}
            {%- do above.update({at.node: true}) -%}
            {%- set at.node = dbt_mview._node_above(tree, at.node) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(above) }}
{% endmacro %}
