{#
Functions whose result is not a function of their arguments alone: those that depend on the order
of rows, and those that are not Spark's own.

Args: words (every token of the query, without the blanks). Returns: named reason, or none.
#}
{% macro _unsure_functions(words) %}
    {%- set tokens = words | map("lower") | list -%}
    {%- set fine = dbt_mview._system_functions() + dbt_mview._words_before_brackets() -%}
    {%- set unordered = dbt_mview._unordered_functions() -%}
    {%- for token in tokens -%}
        {%- if not loop.last and tokens[loop.index] == "(" -%}
            {%- if token in unordered -%} {{ return("EXPRESSION_NOT_DETERMINISTIC: " ~ token) }}
            {%- elif token == "session_window" -%}
                {#- Where it ends is up to the rows beside, which the plan does not show. -#}
                {{ return("OPERATOR_NOT_INCREMENTAL: session_window") }}
            {%- elif dbt_mview._is_name(token) and token not in fine -%}
                {%- if not dbt_mview._names_a_subquery(tokens, loop.index0) -%}
                    {{ return("UDF_NOT_DETERMINISTIC: " ~ token) }}
                {%- endif -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Returns: list of the names of Spark's own functions, asked once per invocation. #}
{% macro _system_functions() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if "functions" not in memory -%}
        {%- set names = [] -%}
        {%- for row in dbt_mview._read("functions", "show system functions").rows -%}
            {%- do names.append(row[0] | lower) -%}
        {%- endfor -%}
        {%- do memory.update({"functions": names}) -%}
    {%- endif -%}
    {{ return(memory.functions) }}
{% endmacro %}
