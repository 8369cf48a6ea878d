{#
What stands beside the changed tables is computed in each term and with the view's own rows, every
time anew, and has to be the same each time. A LIMIT may take other rows; and doubles that are added
up in another order may differ in their last digit, so that the row that went is not the view's.

Args: tree, columns (of the query), changed (names of tables), keys (of the shape, see _shape).
Returns: named reason, or none.
#}
{% macro _unsettled_beside(tree, columns, changed, keys) %}
    {%- set above = dbt_mview._above_changed(tree, changed) -%}
    {%- set types = (
        columns | selectattr("name", "in", keys) | map(attribute="type") | join(" ")
    ) -%}
    {%- set floats = modules.re.search("float|double", types) -%}
    {%- set adds_up = (
        "\\b(?:try_)?(?:avg|sum|std\\w*|var\\w*|corr|covar\\w*|regr_\\w+|skewness|kurtosis)"
        ~ "\\("
    ) -%}
    {%- for index in range(tree | length) if index not in above -%}
        {%- set node = tree[index] -%}
        {%- if node.op in ["GlobalLimit", "LocalLimit"] -%}
            {{ return("OPERATOR_NOT_INCREMENTAL: Limit beside a changed table") }}
        {%- elif floats and node.op in ["Aggregate", "Window"] -%}
            {%- if modules.re.search(adds_up, node.text) -%}
                {{ return("OPERATOR_NOT_INCREMENTAL: a sum of floats beside a changed table") }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
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
