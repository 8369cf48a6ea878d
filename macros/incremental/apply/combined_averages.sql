{# Averages from added-up sums and counts, exactly as Spark computes them, or undecided. #}
{#
The touched groups with their averages, from the sums and counts after the change. If that is not
what avg gives, or the count is not known, a group of which rows are left is undecided, see
_combined_sql.

Args: job, groups (SQL text of a query, see _combined_sql). Returns: SQL text, a query.
#}
{% macro _combined_averages_sql(job, groups) -%}
    {%- set averages, decided = [], [] -%}
    {%- for column, kind in job.fast["values"].items() if kind == "average" -%}
        {%- set average = dbt_mview._quote(column) -%}
        {%- set count = dbt_mview._count_behind(column, job) -%}
        {%- set sum = dbt_mview._quote(job.fast["averages"][column].sum) -%}
        {%- set type = dbt_mview._type_of(job.columns, column) -%}
        {%- do averages.append(dbt_mview._average_sql(sum, count, type) ~ " as " ~ average) -%}
        {%- set known = dbt_mview._is_average_sql(average, sum, count, type) -%}
        {%- do decided.append("coalesce(" ~ count ~ " = 0 or " ~ known ~ ", false)") -%}
    {%- endfor -%}
select
    {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }},
    _mview_undecided or _mview_alive and not (
        {{ decided | join("\n        and ") }}
    ) as _mview_undecided,
    _mview_alive
from (
select *, {{ averages | join(", ") }}
from (
{{ groups }}
)
)
{%- endmacro %}


{#
Of how many values an average and the sum beside it are: counted by the result, or else the one
number that fits both. NULL where that is not known: a sum of 0 may be of any number of values,
and an average of very many has too few digits to tell them from one more. A count that contradicts
the two is not known either.

Args: column (of the average), job (fast, columns). Returns: SQL text, decimal(10,0).
#}
{% macro _values_behind_sql(column, job) -%}
    {%- set of = job.fast["averages"][column] -%}
    {%- set type = dbt_mview._type_of(job.columns, column) -%}
    {%- set average, sum = dbt_mview._quote(column), dbt_mview._quote(of.sum) -%}
    {%- set derived = "round(" ~ sum ~ " / nullif(" ~ average ~ ", 0))" -%}
    {%- set count = dbt_mview._quote(of.count) if of.count else derived -%}
    {%- set count = "try_cast(" ~ count ~ " as decimal(10, 0))" -%}
    {%- set digit = dbt_mview._half_a_digit(type) -%}
case
        when {{ average }} is null then 0
        {%- if of.rows %}
        when {{ dbt_mview._quote(of.rows) }} = 1 then 1
        {%- endif %}
        when {{ dbt_mview._is_average_sql(average, sum, count, type, "<=") }}
        {%- if digit and not of.count %}
            and abs({{ average }}) > ({{ count }} + 1) * 8 * {{ digit }}
        {%- endif %}
        then {{ count }}
    end
{%- endmacro %}


{#
Of how many values each average is, beside the rows of the view or of a delta term.

Args: job (fast, columns). Returns: SQL text, `, ... as _mview_count_<place>` for each.
#}
{% macro _counts_behind_sql(job) -%}
    {%- for column, kind in job.fast["values"].items() if kind == "average" -%}
,
    {{ dbt_mview._values_behind_sql(column, job) }}
    {{- " as " ~ dbt_mview._count_behind(column, job) }}
    {%- endfor -%}
{%- endmacro %}


{# Args: column (an average), job. Returns: string, the column that says of how many it is. #}
{% macro _count_behind(column, job) %}
    {{ return("_mview_count_" ~ ((job.fast["values"] | list).index(column) + 1)) }}
{% endmacro %}


{#
Whether a number is what avg gives for a sum and a count. Decimals are rounded at the type's last
digit; an average right between two is left to avg. Whole numbers of 32 bits are added up as doubles
without a loss, up to 2^22 of them.

Args: average, sum, count (SQL texts), type (of the average), before (< or <=: half a digit away is
    none or may be one). Returns: SQL text, a condition; NULL where one of the three is.
#}
{% macro _is_average_sql(average, sum, count, type, before="<") -%}
    {%- set digit = dbt_mview._half_a_digit(type) -%}
    {%- if digit -%}
abs({{ average }} * {{ count }} - {{ sum }}) {{ before }} {{ count }} * {{ digit }}
    {%- else -%}
{{ average }} = {{ dbt_mview._average_sql(sum, count, type) }} and {{ count }} <= 4194304
    {%- endif -%}
{%- endmacro %}


{# Args: sum, count (SQL texts), type (of the average). Returns: SQL text; NULL for no values. #}
{% macro _average_sql(sum, count, type) -%}
    {%- if type == "double" -%}
cast({{ sum }} as double) / nullif(cast({{ count }} as double), 0)
    {%- else -%}
cast({{ sum }} / nullif({{ count }}, 0) as {{ type }})
    {%- endif -%}
{%- endmacro %}


{# Args: type. Returns: SQL literal, half of a decimal's last digit; empty for doubles. #}
{% macro _half_a_digit(type) -%}
    {%- set digits = dbt_mview._decimal_digits(type) -%}
    {%- if digits -%} 0.{{ "0" * digits[1] }}5 {%- endif -%}
{%- endmacro %}
