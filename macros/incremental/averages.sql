{# Averages that follow the sums beside them, and what a query lacks for that. #}
{#
The averages that follow the sums beside them: avg is the sum divided by the number of values that
are not NULL, which the result counts, or which sum and average imply, see _values_behind_sql.

Args: calls (column -> see _call_of), columns (of the query), values (see _delta_plan_record).
Returns: mapping column -> mapping sum, count, rows (names of columns; none where the result lacks
    count of the same values, or count(*)).
#}
{% macro _averages(calls, columns, values) %}
    {%- set averages = {} -%}
    {%- for column in columns if values.get(column.name) == "holistic" -%}
        {%- set average = (
            calls[column.name] if dbt_mview._is_average(calls[column.name]) else none
        ) -%}
        {%- for other in columns if average and values.get(other.name) == "sum" -%}
            {%- if calls[other.name].of == average.of and dbt_mview._is_average_of(
                average, column.type, other.type
            ) -%}
                {%- set of = {"sum": other.name, "count": none, "rows": none} -%}
                {%- for name, kind in values.items() -%}
                    {%- if kind == "count_all" -%} {%- do of.update({"rows": name}) -%}
                    {%- elif kind == "count" and calls[name].of == average.of -%}
                        {%- do of.update({"count": name}) -%}
                    {%- endif -%}
                {%- endfor -%}
                {%- do averages.update({column.name: of}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(averages) }}
{% endmacro %}


{# Whether a value is a plain average. Args: call (see _call_of, or none). Returns: bool. #}
{% macro _is_average(call) %}
    {{ return(call is not none and call.function == "avg" and not call.distinct) }}
{% endmacro %}


{#
Whether an average follows exactly from a sum. Spark divides decimals of p digits at four digits
more than they have, and 38 are enough for all that is computed up to a p of 22. It adds up whole
numbers as doubles: those of a column that the plan does not print as a bigint (#5L) have 32 bits.

Args: call (the average, see _call_of), average, sum (types). Returns: bool.
#}
{% macro _is_average_of(call, average, sum) %}
    {%- if average == "double" -%} {{ return(sum == "bigint" and call.is_short) }}{%- endif -%}
    {%- set digits, sums = dbt_mview._decimal_digits(average), dbt_mview._decimal_digits(sum) -%}
    {%- if not (digits and sums) -%} {{ return(false) }}{%- endif -%}
    {{ return(sums[0] - 10 <= 22 and digits == (sums[0] - 6, sums[1] + 4)) }}
{% endmacro %}


{#
What the result would need for averages to be added up. Args: as _averages. Returns: mapping
column -> string, a part of a sentence.
#}
{% macro _sums_wanted(calls, columns, values) %}
    {%- set wanted = {} -%}
    {%- for column in columns if values.get(column.name) == "holistic" -%}
        {%- set call = calls[column.name] -%}
        {%- set digits = dbt_mview._decimal_digits(column.type) -%}
        {%- set sum = "bigint" -%}
        {%- if digits -%}
            {%- set sum = "decimal(" ~ (digits[0] + 6) ~ "," ~ (digits[1] - 4) ~ ")" -%}
        {%- endif -%}
        {%- if dbt_mview._is_average(call) and dbt_mview._is_average_of(call, column.type, sum) -%}
            {%- set only = "" if digits else ", if " ~ call.shown ~ " is an int" -%}
            {%- do wanted.update({column.name: "sum(" ~ call.shown ~ ")" ~ only}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(wanted) }}
{% endmacro %}
