{#
UNION ALL: while one branch changes, the sources of the others are bound to no rows (zero delta).
#}
{#
UNION ALL adds its branches: the change of one is the change of that branch alone. While a table
of one branch is bound to its changes, the tables of the others are bound to no rows.

Args: tree, path (see _linear_path), nested (see _nests_ctes), affected_keys (bool: the terms give
    keys, one too many does no harm).
Returns: list of the leaves to bind to no rows, or a reason why the other branches would
    still have rows.
#}
{% macro _zero_delta(tree, path, nested=true, affected_keys=false) %}
    {%- if not path.unions -%} {{ return([]) }}
    {%- elif tree | selectattr("inner") | rejectattr("asked") | list -%}
        {#- Of others it is not known where they stand in the text. -#}
        {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", "UNION ALL with subqueries")) }}
    {%- elif nested and dbt_mview._may_be_reordered(tree) -%}
        {%- set detail = "UNION ALL with a CTE and a table read twice" -%}
        {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail, ["cte_is_kept"])) }}
    {%- endif -%}
    {%- set parents = tree | map(attribute="parent") | list -%}
    {%- set zero_delta = [] -%}
    {%- for index in range(tree | length) if index not in parents -%}
        {%- set branches = dbt_mview._branches_of(tree, index, path.unions) -%}
        {%- set others = branches | selectattr("other") | list -%}
        {%- set asked = dbt_mview._is_only_asked(tree[index], others) -%}
        {%- if others and tree[index].op != "CTERelationRef" and not asked -%}
            {%- set odd = dbt_mview._why_not_zero_delta(
                tree[index], branches, others, affected_keys
            ) -%}
            {%- if odd -%}
                {%- set also = ["cte_is_kept"] if branches | length > 1 else [] -%}
                {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", odd, also)) }}
            {%- endif -%}
            {%- do zero_delta.append(index) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(zero_delta) }}
{% endmacro %}


{#
Whether a leaf stands in a subquery that a filter of its branch asks: without rows of its other
leaves the branch has none, whatever the answer is. Args: leaf, others. Returns: bool.
#}
{% macro _is_only_asked(leaf, others) %}
    {%- for branch in others -%}
        {%- if not ([leaf] + branch.through) | selectattr("inner") | list -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{#
Why a branch may have rows while this leaf of it has none, or the leaf may be needed elsewhere.

Args: leaf, branches (see _branches_of), others (those of them that are other ones), affected_keys.
Returns: string, empty if neither is so.
#}
{% macro _why_not_zero_delta(leaf, branches, others, affected_keys) %}
    {%- if leaf.op != "Relation" -%} {{ return("UNION ALL with " ~ leaf.op) }}
    {%- elif others | length < branches | length -%}
        {{ return("a CTE that is read " ~ branches | length ~ " times") }}
    {%- endif -%}
    {%- for branch in others -%}
        {%- for node in branch.through -%}
            {%- set of_all = node.op == "Aggregate" and not node.group_keys -%}
            {%- if "empty" not in dbt_mview._rule_of(node).traits -%}
                {{ return("UNION ALL with " ~ node.op) }}
            {%- elif of_all and not affected_keys -%} {{ return("a branch of UNION ALL") }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return("") }}
{% endmacro %}


{# Whether that matters: there are CTEs, and a table stands twice. Args: tree. Returns: bool. #}
{% macro _may_be_reordered(tree) %}
    {%- set names = tree | map(attribute="relation") | select | list -%}
    {%- set ctes = tree | selectattr("op", "equalto", "CTERelationDef") | list -%}
    {{ return(ctes | length > 0 and names | unique | list | length < names | length) }}
{% endmacro %}
