{#
Functions that depend on the order of rows, or are not Spark's own. A function that is on no list is
refused.
#}
{#
Functions whose result is not a function of their arguments alone: those that depend on the order
of rows, and those that are not Spark's own.

Args: words (every token of the query, without the blanks). Returns: named reason, or none.
#}
{% macro _why_not_deterministic(words) %}
    {%- set tokens = words | map("lower") | list -%}
    {%- set fine = dbt_mview._system_functions() + dbt_mview._words_before_brackets() -%}
    {%- set unordered = dbt_mview._unordered_functions() -%}
    {%- for token in tokens -%}
        {%- if not loop.last and tokens[loop.index] == "(" -%}
            {%- if token in unordered -%}
                {{ return(dbt_mview._reason("EXPRESSION_NOT_DETERMINISTIC", token)) }}
            {%- elif token == "session_window" -%}
                {#- Where it ends is up to the rows beside, which the plan does not show. -#}
                {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", token)) }}
            {%- elif dbt_mview._is_name(token) and token not in fine -%}
                {%- if not dbt_mview._names_a_subquery(tokens, loop.index0) -%}
                    {{ return(dbt_mview._reason("UDF_NOT_DETERMINISTIC", token)) }}
                {%- endif -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether the name before a bracket is that of a subquery with a list of its columns, as in
`(select ...) as t (a, b)` or `with t (a, b) as (select ...)`, and no function.

Args: tokens (lower case, without the blanks), index (of the name). Returns: bool.
#}
{% macro _names_a_subquery(tokens, index) %}
    {%- set before = tokens[index - 1] if index else "" -%}
    {%- if before in ["as", ")", "with", "recursive"] -%} {{ return(true) }}{%- endif -%}
    {%- if before != "," -%} {{ return(false) }}{%- endif -%}
    {#- One more table of a WITH: its list has only names. -#}
    {%- set closing = tokens[index:].index(")") + index if ")" in tokens[index:] else index -%}
    {{
        return(
            tokens[closing + 1 : closing + 3] == ["as", "("]
            and (tokens[closing + 3 : closing + 4] | first)
            in ["select", "with", "values", "from", "table"]
        )
    }}
{% endmacro %}


{# Returns: list of the names of Spark's own functions, asked once per invocation. #}
{% macro _system_functions() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if memory.functions is none -%}
        {%- set names = [] -%}
        {%- for row in dbt_mview._read("functions", "show system functions").rows -%}
            {%- do names.append(row[0] | lower) -%}
        {%- endfor -%}
        {%- do memory.update({"functions": names}) -%}
    {%- endif -%}
    {{ return(memory.functions) }}
{% endmacro %}


{# Returns: list of the words of Spark's grammar that may come before a bracket. #}
{% macro _words_before_brackets() %}
    {{
        return(
            (
                "over filter using partition within group values rollup cube sets like ilike rlike "
                ~ "between limit columns interval window pivot unpivot for tablesample cluster "
                ~ "distribute sort order as in exists from join union all any some except minus "
                ~ "intersect distinct and or not where select on when then else having by lateral "
                ~ "with table set qualify return array struct map named_struct varchar char "
                ~ "decimal numeric dec timestampdiff timestampadd try_cast trim overlay position "
                ~ "substring"
            ).split()
        )
    }}
{% endmacro %}
