{#
Floats that differ by what the order of additions decides: after an OPTIMIZE, or a FAST refresh, a
sum of doubles may have another last digit. They are compared within a tolerance.
#}
{#
Args: given (of a test; none: the var dbt_mview:float_tolerance).
Returns: float, a share of the larger of two values; 0 compares them exactly.
Errors: it is no number from 0 to less than 1.
#}
{% macro _float_tolerance(given=none) %}
    {%- set value = var("dbt_mview:float_tolerance", 1.0e-9) if given is none else given -%}
    {%- set text = value | string | trim -%}
    {%- set number = modules.re.fullmatch("[0-9]*[.]?[0-9]+(?:[eE][+-]?[0-9]{1,3})?", text) -%}
    {%- if not number or text | float >= 1 -%}
        {%- set where = "the var dbt_mview:float_tolerance" if given is none else "tolerance" -%}
        {%- do dbt_mview._raise(
            where,
            "'" ~ value ~ "' is no number from 0 to less than 1.",
            "Give the share by which floats may differ; the default is 1e-9, 0 compares exactly.",
        ) -%}
    {%- endif -%}
    {{ return(text | float) }}
{% endmacro %}


{#
Whether a view has floats to compare so. Args: columns (of name, type), tolerance. Returns: bool.
#}
{% macro _has_floats(columns, tolerance) %}
    {%- set types = columns | map(attribute="type") | list -%}
    {{ return(tolerance > 0 and ("double" in types or "float" in types)) }}
{% endmacro %}


{#
Compares as _compare_sql, and takes rows for equal that differ in floats alone and by no more than a
tolerance: of the rows that are left, those of equal other columns are paired in the order of their
floats.

Args: sides (see _verify_sides), tolerance. Returns: SQL text, one row: missing, surplus.
#}
{% macro _compare_nearly_sql(sides, tolerance) -%}
    {%- set pair = dbt_mview._are_near_sql(sides.present, tolerance) -%}
with {{ dbt_mview._sides_sql(sides) }},
{{ dbt_mview._left_over_sql(sides.present) }}
select
    (select count(*) from missing as m left anti join surplus as s on {{ pair }}) as missing,
    (select count(*) from surplus as s left anti join missing as m on {{ pair }}) as surplus
{%- endmacro %}


{# The rows themselves. Args: see _compare_nearly_sql. Returns: see _differences_sql. #}
{% macro _nearly_differences_sql(sides, tolerance) -%}
    {%- set pair = dbt_mview._are_near_sql(sides.present, tolerance) -%}
    {%- set names = sides.present | map(attribute="name") | list -%}
with {{ dbt_mview._sides_sql(sides) }},
{{ dbt_mview._left_over_sql(sides.present) }}
select 'missing' as _mview_verdict, {{ dbt_mview._prefixed("m", names) }}
from missing as m
left anti join surplus as s on {{ pair }}
union all
select 'surplus' as _mview_verdict, {{ dbt_mview._prefixed("s", names) }}
from surplus as s
left anti join missing as m on {{ pair }}
{%- endmacro %}


{# What either side has alone, numbered. Args: columns. Returns: SQL text, two tables of a WITH. #}
{% macro _left_over_sql(columns) -%}
    {%- set floats, exact = dbt_mview._floats_and_others(columns) -%}
    {%- set number -%}
row_number() over (
        partition by {{ dbt_mview._quote_all(exact) or "1" }}
        order by {{ dbt_mview._quote_all(floats | map(attribute="name") | list) }}
    ) as _mview_n
    {%- endset -%}
missing as (
    select *, {{ number }}
    from (select * from wanted except all select * from present)
),
surplus as (
    select *, {{ number }}
    from (select * from present except all select * from wanted)
)
{%- endmacro %}


{# Whether row m is row s but for a little. Args: columns, tolerance. Returns: SQL condition. #}
{% macro _are_near_sql(columns, tolerance) %}
    {%- set floats, exact = dbt_mview._floats_and_others(columns) -%}
    {%- set parts = ["m._mview_n = s._mview_n"] -%}
    {%- for name in exact -%}
        {%- set quoted = dbt_mview._quote(name) -%}
        {%- do parts.append("m." ~ quoted ~ " <=> s." ~ quoted) -%}
    {%- endfor -%}
    {%- for column in floats -%}
        {%- set quoted = dbt_mview._quote(column.name) -%}
        {%- set m, s = "m." ~ quoted, "s." ~ quoted -%}
        {#- A FLOAT has seven digits. -#}
        {%- set share = [tolerance, 0.000001] | max if column.type == "float" else tolerance -%}
        {%- set most = share ~ "D * greatest(abs(" ~ m ~ "), abs(" ~ s ~ "))" -%}
        {%- set near = "abs(" ~ m ~ " - " ~ s ~ ") <= " ~ most -%}
        {%- do parts.append("(" ~ m ~ " <=> " ~ s ~ " or " ~ near ~ ")") -%}
    {%- endfor -%}
    {{ return(parts | join("\n        and ")) }}
{% endmacro %}


{# Args: columns. Returns: pair: list of the float columns, list of the names of the others. #}
{% macro _floats_and_others(columns) %}
    {%- set floats = columns | selectattr("type", "in", ["double", "float"]) | list -%}
    {%- set others = columns | rejectattr("type", "in", ["double", "float"]) -%}
    {{ return((floats, others | map(attribute="name") | list)) }}
{% endmacro %}
