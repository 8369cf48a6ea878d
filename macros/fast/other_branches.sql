{#
UNION ALL adds its branches: the change of one is the change of that branch alone. While a table
of one branch is bound to its changes, the tables of the others are bound to no rows.

Args: tree, path (see _linear_path). Returns: list of the leaves to be emptied, or a reason
    (string) why that would not empty the other branches.
#}
{% macro _other_branches(tree, path) %}
    {%- set emptied = [] -%}
    {%- if path.unions and tree | selectattr("inner") | list -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: UNION ALL with subqueries") }}
    {%- elif path.unions and dbt_mview._may_be_reordered(tree) -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: UNION ALL with a CTE and a table read twice") }}
    {%- endif -%}
    {%- set harmless = (
        "Project Filter SubqueryAlias View Join Union Generate Sort ResolvedHint Relation "
        ~ "Aggregate Window Distinct"
    ).split() -%}
    {%- for index in range(tree | length) if path.unions -%}
        {%- set above = dbt_mview._branch_of(tree, index, path.unions) -%}
        {%- if above is not none and above.position != path.unions[above.union] -%}
            {%- if tree[index].op not in harmless -%}
                {{ return("OPERATOR_NOT_INCREMENTAL: UNION ALL with " ~ tree[index].op) }}
            {%- endif -%}
            {%- if tree[index].op == "Relation" -%}
                {%- set other = dbt_mview._linear_path(tree, index) -%}
                {%- if above.union not in other.unions -%}
                    {{ return("OPERATOR_NOT_INCREMENTAL: a branch of UNION ALL") }}
                {%- endif -%}
                {%- do emptied.append(index) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(emptied) }}
{% endmacro %}


{# The lowest of these unions above a node. Returns: mapping union, position; or none. #}
{% macro _branch_of(tree, index, unions) %}
    {%- set at = namespace(node=index) -%}
    {%- for _ in tree if at.node is not none -%}
        {%- set parent = tree[at.node].parent -%}
        {%- if parent in unions -%}
            {{ return({"union": parent, "position": tree[at.node].position}) }}
        {%- endif -%}
        {%- set at.node = parent -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether the plan may read one table in another order than the text names it: the engine prints a
CTE that is defined within a subquery in front of what stands before it.

Args: tree. Returns: bool.
#}
{% macro _may_be_reordered(tree) %}
    {%- set names = [] -%}
    {%- for node in tree -%} {%- do names.append(dbt_mview._relation_name(node)) -%} {%- endfor -%}
    {%- set names = names | select | list -%}
    {%- set ctes = tree | selectattr("op", "equalto", "CTERelationDef") | list -%}
    {{ return(ctes | length > 0 and names | unique | list | length < names | length) }}
{% endmacro %}
