{#
The aggregates of FAST as a table: of which kind each is, what is staged of its change, and how the
old value and the change give the new one.
#}
{#
The values of a group that are added up. Any other is holistic (Gray et al. 1997): no part of it of
a fixed size gives the whole, so its groups are computed again.

Texts are SQL: {old} is the view's value, {change} the signed sum that is staged, {came} and {gone}
are the extremes of the rows that came and of those that went.

Returns: mapping name (see values of _classify) -> mapping
    call     what it is of, as SQL has it
    kind     distributive: the values of two parts of the rows give that of all; algebraic: so do a
             fixed number of such values
    staged   sum, or extremes
    value    the value after the change
    doubt    condition under which rows that went leave it undecided; none: they never do
    unsure   condition under which any change does; none
    alive    condition that shows that rows are left
    decided  always, or inserts: where rows only came
    whole    bool: the change is not known (NULL) if one of its terms is not
    source   where the rule is from, see docs/fast-internals.md
    proof    a query of tests/corpus that has it
#}
{% macro _aggregates() %}
    {%- set sum = "coalesce({old}, 0) + coalesce({change}, 0)" -%}
    {%- set any = "coalesce({old}, {change}) is not null" -%}
    {#- It may have overflowed, which is NULL. -#}
    {%- set wide = "coalesce({old}, 0) + {change}" -%}
    {%- set overflown = "coalesce(v._mview_there, false) and {old} is null" -%}
    {#- Of how many values it is, see _values_behind_sql; the average follows from that. -#}
    {%- set had = "case when v._mview_there then v._mview_count_{index} else 0 end" -%}
    {%- set counted = "try_cast(" ~ had ~ " + {change} as decimal(10, 0))" -%}
    {%- set count = {
        "call": "count(x)",
        "kind": "distributive",
        "staged": "sum",
        "value": sum,
        "doubt": none,
        "unsure": none,
        "alive": sum ~ " > 0",
        "decided": "always",
        "whole": false,
        "source": "Gupta and Mumick",
        "proof": "extremes",
    } -%}
    {{
        return(
            {
                "count_all": dict(count, call="count(*)", proof="counted"),
                "count": count,
                "sum": dict(
                    count,
                    call="sum(x)",
                    value="case when " ~ any ~ " then " ~ sum ~ " end",
                    doubt="(" ~ any ~ " and " ~ sum ~ " = 0)",
                    alive=sum ~ " <> 0",
                    source="pg_ivm",
                    proof="summed",
                ),
                "wide_sum": dict(
                    count,
                    call="sum(x), decimals of 38 digits",
                    value=wide,
                    doubt=wide ~ " = 0",
                    unsure="(" ~ overflown ~ " or " ~ wide ~ " is null)",
                    alive=wide ~ " <> 0",
                    whole=true,
                    source="our own",
                    proof="small_parts",
                ),
                "mean": dict(
                    count,
                    call="avg(x) beside sum(x)",
                    kind="algebraic",
                    value=counted,
                    alive=counted ~ " > 0",
                    whole=true,
                    source="our own",
                    proof="means",
                ),
                "min": dbt_mview._extreme(count, "min(x)", "<", "least"),
                "max": dbt_mview._extreme(count, "max(x)", ">", "greatest"),
            }
        )
    }}
{% endmacro %}


{#
The row of an extreme. Decided is a value that came and that no old and no lost one goes before, and
an old one that no lost and no new one goes before; or there never was any.

Args: count (row of a count), call, before (the sign by which one value goes before another), pick
    (the function that picks such a value). Returns: mapping, see _aggregates.
#}
{% macro _extreme(count, call, before, pick) %}
    {%- set came -%}
{came} is not null
            and coalesce({came} {{ before }}= {old}, true)
            and coalesce({came} {{ before }} {gone}, true)
    {%- endset -%}
    {%- set stays -%}
{old} is not null
            and coalesce({old} {{ before }} {gone}, true)
            and coalesce({old} {{ before }}= {came}, true)
    {%- endset -%}
    {%- set never = "coalesce({old}, {came}, {gone}) is null" -%}
    {%- set or_ = "\n            or " -%}
    {{
        return(
            dict(
                count,
                call=call,
                staged="extremes",
                value=pick ~ "({old}, {came})",
                doubt="not (" ~ came ~ or_ ~ stays ~ or_ ~ never ~ ")",
                alive="(" ~ came ~ ") or (" ~ stays ~ ")",
                decided="inserts",
                source="OpenIVM",
            )
        )
    }}
{% endmacro %}
