{# What the tables of plan/operators.sql say of one operator, or of all that are alike. #}
{#
Args: node, child (the one below that changes; none: whichever). Returns: mapping, see _operators,
with way and keys of that side of a join.
#}
{% macro _rule_of(node, child=none) %}
    {%- set rule = dbt_mview._rules().operators.get(node.op, {"way": "refused", "traits": []}) -%}
    {%- if child is not none and child.inner -%}
        {%- set asked = dbt_mview._rules().sides[child.asked.type] if child.asked else none -%}
        {{ return(dict(rule, **(asked[1] if asked else {"way": "refused", "keys": none}))) }}
    {%- elif rule.way == "side" and child is not none -%}
        {%- set sides = dbt_mview._rules().sides.get(node.join_type, [{"way": "refused"}] * 2) -%}
        {{ return(dict(rule, **sides[child.position])) }}
    {%- endif -%}
    {{ return(rule) }}
{% endmacro %}


{# Args: trait (see _operators). Returns: list of the operators that have it. #}
{% macro _operators_that(trait) %}
    {%- set found = [] -%}
    {%- for name, rule in dbt_mview._rules().operators.items() if trait in rule.traits -%}
        {%- do found.append(name) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# The tables, made once in an invocation: they are asked for every node of a plan. #}
{% macro _rules() %}
    {%- set rules = dbt_mview._memory().rules -%}
    {%- if not rules -%}
        {%- do rules.update(
            {"operators": dbt_mview._operators(), "sides": dbt_mview._join_sides()}
        ) -%}
    {%- endif -%}
    {{ return(rules) }}
{% endmacro %}
