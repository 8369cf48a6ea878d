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
    {%- set closing = dbt_mview._closing_brackets(tokens) -%}
    {%- for token in tokens -%}
        {%- if not loop.last and tokens[loop.index] == "(" -%}
            {%- if token in unordered -%}
                {%- if not dbt_mview._is_ordered(words, tokens, loop.index0, closing) -%}
                    {{ return(dbt_mview._reason("EXPRESSION_NOT_DETERMINISTIC", token)) }}
                {%- endif -%}
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
Whether the order of rows does not matter to a list that is gathered of them: it is sorted or
counted at once, or its texts stand in their own order (`listagg(x, ',') within group (order by
x)`). Of values that may be equal and not the same it does, see _why_gathered_unlike.

Args: words (see _why_not_deterministic), tokens (these, lower case), index (of the function),
    closing (see _closing_brackets). Returns: bool.
#}
{% macro _is_ordered(words, tokens, index, closing) %}
    {%- set end = closing.get(index + 1) -%}
    {%- if end is none -%} {{ return(false) }}{%- endif -%}
    {%- set after = tokens[end + 1 : end + 6] -%}
    {%- if tokens[index] in ["collect_list", "collect_set", "array_agg"] and index > 1 -%}
        {%- set by, bracket = tokens[index - 2 : index] -%}
        {#- array_sort with a second argument compares as the user says. -#}
        {%- set then = {
            "sort_array": [")", ","],
            "array_sort": [")"],
            "size": [")"],
            "cardinality": [")"],
            "array_size": [")"],
        } -%}
        {{ return(bracket == "(" and after and after[0] in then.get(by, [])) }}
    {%- elif tokens[index] in ["listagg", "string_agg"] -%}
        {%- if after != "within group ( order by".split() -%} {{ return(false) }}
        {%- endif -%}
        {%- set skipped = 1 if tokens[index + 2] == "distinct" else 0 -%}
        {%- set gathered = words[index + 2 + skipped : end] -%}
        {%- set at = namespace(depth=0, comma=gathered | length) -%}
        {%- for word in gathered -%}
            {%- set at.depth = at.depth + (word == "(") | int - (word == ")") | int -%}
            {%- if word == "," and at.depth == 0 -%}
                {%- set at.comma = loop.index0 -%}
            {%- endif -%}
        {%- endfor -%}
        {%- set gathered = gathered[: at.comma] -%}
        {%- set order = words[end + 6 : closing.get(end + 3, 0)] -%}
        {%- if order and order[-1] | lower in ["asc", "desc"] -%} {%- set order = order[:-1] -%}
        {%- endif -%}
        {{ return(gathered == order) }}
    {%- endif -%}
    {{ return(false) }}
{% endmacro %}


{#
Why it is open in which order a list has its values, though it is sorted: 0.0 and -0.0, 'a' and 'A'
under a collation. Which of two such a set keeps is open as well.

Args: reads (see _canonical). Returns: named reason, or none.
#}
{% macro _why_gathered_unlike(reads) %}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set names = "\\b(collect_list|collect_set|array_agg|listagg|string_agg)\\(" -%}
    {%- set unlike = namespace(ids=none) -%}
    {%- for node in tree if node.op in ["Aggregate", "Window"] -%}
        {%- for column in node.columns if modules.re.search(names, column.expression) -%}
            {%- if unlike.ids is none -%}
                {%- set unlike.ids = dbt_mview._not_image_equal_ids(tree, reads) -%}
            {%- endif -%}
            {%- if column.id in unlike.ids -%}
                {%- set call = modules.re.search(names, column.expression).group(1) -%}
                {%- set detail = call ~ " of values of which equal ones differ" -%}
                {{ return(dbt_mview._reason("EXPRESSION_NOT_DETERMINISTIC", detail)) }}
            {%- endif -%}
        {%- endfor -%}
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
