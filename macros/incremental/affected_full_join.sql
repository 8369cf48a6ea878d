{# Affected keys through full joins: what their condition compares, of whichever side has it. #}
{#
A full join of the climb. If rows of one side change, rows of both change: those with the changed
row, and rows of the other side that lose or find their match by it. All of them have the changed
row's value of what the condition compares, on one side or on both; so coalesce() of the two carries
the keys, whatever else the condition says. The delta term keeps the changed side: a left join of
the changed rows shows each of their values. In a chain of full joins the next condition compares
such a coalesce().

Args: tree, path (see _affected_path), below (index of the side that changes), index.
Returns: what changes of path.
Source: Larson and Zhou, Efficient Maintenance of Materialized Outer-Join Views (ICDE 2007).
#}
{% macro _affected_full_join(tree, path, below, index) %}
    {%- set node = tree[index] -%}
    {%- set others = dbt_mview._other_side_ids(tree, below) -%}
    {%- set either = [] -%}
    {%- for left, right in dbt_mview._compared_columns(node) -%}
        {%- for mine, theirs in [(left, right), (right, left)] -%}
            {%- set is_theirs = theirs and not theirs | reject("in", others) | list -%}
            {%- set comparable = not dbt_mview._are_any_in(mine + theirs, path.not_image_equal) -%}
            {%- if is_theirs and comparable and dbt_mview._is_carrier(mine, path) -%}
                {%- do either.append((mine + theirs) | sort) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- if not either -%}
        {%- set what = " that compares no columns with affected keys" -%}
        {{ return(dict(dbt_mview._not_incremental(node, what), matched=true)) }}
    {%- endif -%}
    {{
        return(
            {
                "key_ids": [],
                "either": either,
                "matched": true,
                "to_matches": path.to_matches + [index if tree[below].position == 0 else -index],
                "equal_only": [],
                "boundary": none,
                "ranks": [],
            }
        )
    }}
{% endmacro %}


{# Whether a column is computed from what carries affected keys. Args: column, path. #}
{% macro _carries_keys(column, path) %}
    {%- if dbt_mview._references_only(column, path.key_ids, path.equal_only) -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set ids = dbt_mview._coalesced_ids(column.expression) -%}
    {{ return(ids | length > 1 and dbt_mview._is_carrier(ids, path)) }}
{% endmacro %}


{# Whether coalesce() of these columns, or the one there is, does. Args: ids, path. #}
{% macro _is_carrier(ids, path) %}
    {%- if ids | length == 1 -%}
        {%- set known = path.key_ids is none or ids[0] in path.key_ids -%}
        {{ return(known and ids[0] not in path.equal_only) }}
    {%- endif -%}
    {{ return(ids | sort in path.either) }}
{% endmacro %}
