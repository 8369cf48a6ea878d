{# Words after which a bracket opens a query or a list, not a function's arguments. #}
{% macro _words_before_brackets() %}
    {{
        return(
            [
                "",
                "as",
                "in",
                "exists",
                "from",
                "join",
                "union",
                "all",
                "any",
                "some",
                "except",
                "minus",
                "intersect",
                "distinct",
                "and",
                "or",
                "not",
                "where",
                "select",
                "on",
                "when",
                "then",
                "else",
                "having",
                "by",
                "lateral",
                "with",
                "table",
            ]
        )
    }}
{% endmacro %}


{# Whether the word after a table's name gives it an alias. Args: word (string). Returns: bool. #}
{% macro _is_alias(word) %}
    {%- set not_alias = [
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "union",
        "minus",
        "except",
        "intersect",
        "window",
        "qualify",
        "sort",
        "cluster",
        "distribute",
        "lateral",
        "pivot",
        "unpivot",
        "join",
        "inner",
        "left",
        "right",
        "full",
        "cross",
        "natural",
        "semi",
        "anti",
        "on",
        "using",
        "tablesample",
        "select",
        "with",
    ] -%}
    {%- set named = modules.re.match("[\\w`]", word) is not none -%}
    {{ return(named and word not in not_alias) }}
{% endmacro %}
