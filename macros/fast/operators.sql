{# Whether an operator is linear in one of its children. Args: node, child. Returns: bool. #}
{% macro _is_linear(node, child) %}
    {%- set sides = {
        "Inner": [0, 1],
        "Cross": [0, 1],
        "LeftOuter": [0],
        "LeftSemi": [0],
        "LeftAnti": [0],
        "RightOuter": [1],
    } -%}
    {%- if node.op == "Join" -%}
        {{ return(child.position in sides.get(node.text.split(",")[0].strip(), [])) }}
    {%- endif -%}
    {{ return(node.op in dbt_mview._operators().linear) }}
{% endmacro %}


{# Args: node. Returns: string, the operator as a user of SQL knows it. #}
{% macro _operator_name(node) %}
    {%- if node.op == "Join" -%} {{ return("Join " ~ node.text.split(",")[0]) }}{%- endif -%}
    {{ return("Limit" if node.op in ["GlobalLimit", "LocalLimit"] else node.op) }}
{% endmacro %}


{# Returns: mapping projecting, linear (lists of operators, by Spark's names). #}
{% macro _operators() %}
    {%- set projecting = (
        "Project SubqueryAlias View Sort "
        ~ "WithCTE CTERelationDef CTERelationRef ResolvedHint"
    ) -%}
    {%- set linear = (
        "Filter Union Generate Repartition RepartitionByExpression RebalancePartitions"
    ) -%}
    {{ return({"projecting": projecting.split(), "linear": (projecting ~ " " ~ linear).split()}) }}
{% endmacro %}
