{# Averages that follow the sums beside them, and what a query lacks for that. #}
{#
The averages that follow the sums beside them: avg is the sum divided by the number of values that
are not NULL, which the result counts, or which sum and average imply, see _values_behind_sql.

Args: expressions (column -> as the plan prints it), columns (of the query), values (see _classify).
Returns: mapping column -> mapping sum, count, rows (names of columns; none where the result lacks
    count of the same values, or count(*)).
#}
{% macro _averages(expressions, columns, values) %}
    {%- set means = {} -%}
    {%- set bare = {} -%}
    {%- for name, text in expressions.items() -%}
        {%- do bare.update({name: dbt_mview._nameless(text)}) -%}
    {%- endfor -%}
    {%- for column in columns if values.get(column.name) == "other" -%}
        {%- set inner = dbt_mview._averaged_expression(expressions[column.name]) -%}
        {%- set of_them = "(" ~ dbt_mview._nameless(inner or "") ~ ")" -%}
        {%- for other in columns if inner and values.get(other.name) == "sum" -%}
            {%- if bare[other.name] == "sum" ~ of_them and dbt_mview._is_average_of(
                inner, column.type, other.type
            ) -%}
                {%- set of = {"sum": other.name, "count": none, "rows": none} -%}
                {%- for name, kind in values.items() -%}
                    {%- if kind == "count_all" -%} {%- do of.update({"rows": name}) -%}
                    {%- elif bare[name] == "count" ~ of_them and kind == "count" -%}
                        {%- do of.update({"count": name}) -%}
                    {%- endif -%}
                {%- endfor -%}
                {%- do means.update({column.name: of}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(means) }}
{% endmacro %}


{# Args: expression. Returns: string, of what it is the average; none if it is no plain one. #}
{% macro _averaged_expression(expression) %}
    {%- set call = modules.re.fullmatch("avg\\((?!distinct )(.*)\\)", expression) -%}
    {{ return(call.group(1) if call and not dbt_mview._closes_early(call.group(1)) else none) }}
{% endmacro %}


{#
Whether an average follows exactly from a sum. Spark divides decimals of p digits at four digits
more than they have, and 38 are enough for all that is computed up to a p of 22. It adds up whole
numbers as doubles: those of a column that the plan does not print as a bigint (#5L) have 32 bits.

Args: inner (as the plan prints it), mean, sum (types). Returns: bool.
#}
{% macro _is_average_of(inner, mean, sum) %}
    {%- if mean == "double" -%}
        {{
            return(
                sum == "bigint" and modules.re.fullmatch("[A-Za-z_]\\w*#\\d+", inner) is not none
            )
        }}
    {%- endif -%}
    {%- set means, sums = dbt_mview._decimal_digits(mean), dbt_mview._decimal_digits(sum) -%}
    {%- if not (means and sums) -%} {{ return(false) }}{%- endif -%}
    {{ return(sums[0] - 10 <= 22 and means == (sums[0] - 6, sums[1] + 4)) }}
{% endmacro %}


{#
What the result would need for averages to be added up. Args: as _averages. Returns: mapping
column -> string, a part of a sentence.
#}
{% macro _sums_wanted(expressions, columns, values) %}
    {%- set wanted = {} -%}
    {%- for column in columns if values.get(column.name) == "other" -%}
        {%- set inner = dbt_mview._averaged_expression(expressions[column.name]) -%}
        {%- set digits = dbt_mview._decimal_digits(column.type) -%}
        {%- set sum = "bigint" -%}
        {%- if digits -%}
            {%- set sum = "decimal(" ~ (digits[0] + 6) ~ "," ~ (digits[1] - 4) ~ ")" -%}
        {%- endif -%}
        {%- if inner and dbt_mview._is_average_of(inner, column.type, sum) -%}
            {%- set name = modules.re.sub("#\\d+L?", "", inner) -%}
            {%- set only = "" if digits else ", if " ~ name ~ " is an int" -%}
            {%- do wanted.update({column.name: "sum(" ~ name ~ ")" ~ only}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(wanted) }}
{% endmacro %}
