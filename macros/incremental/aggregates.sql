{#
The aggregates of FAST as a table: of which kind each is, what is staged of its change, and how the
old value and the change give the new one.
#}
{#
The values of a group that are added up. Any other is holistic (Gray et al. 1997): no part of it of
a fixed size gives the whole, so its groups are computed again.

Texts are SQL: {old} is the view's value, {change} the signed sum that is staged, {came} and {gone}
are the extremes of the rows that came and of those that went.

Returns: mapping name (see values of _delta_plan_record) -> mapping
    call     what it is of, as SQL has it
    class    distributive: the values of two parts of the rows give that of all; algebraic: so do a
             fixed number of such values
    staged   sum, or extremes
    value    the value after the change
    undecided  condition under which any change leaves it undecided, or none
    undecided_by_deletes  condition under which rows that went do; none: they never do
    alive    condition that shows that rows are left
    unstaged always, or inserts (where rows only came): when a MERGE may do without a stage
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
        "class": "distributive",
        "staged": "sum",
        "value": sum,
        "undecided_by_deletes": none,
        "undecided": none,
        "alive": sum ~ " > 0",
        "unstaged": "always",
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
                    undecided_by_deletes="(" ~ any ~ " and " ~ sum ~ " = 0)",
                    alive=sum ~ " <> 0",
                    source="pg_ivm",
                    proof="summed",
                ),
                "overflowable_sum": dict(
                    count,
                    call="sum(x), decimals of 38 digits",
                    value=wide,
                    undecided_by_deletes=wide ~ " = 0",
                    undecided="(" ~ overflown ~ " or " ~ wide ~ " is null)",
                    alive=wide ~ " <> 0",
                    whole=true,
                    source="our own",
                    proof="small_parts",
                ),
                "average": dict(
                    count,
                    call="avg(x) beside sum(x)",
                    class="algebraic",
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
The row of an extreme. The new value is certain if an inserted row is at least as extreme as the old
value and more extreme than all that went; or if the old value is more extreme than all that went
and at least as extreme as all that came; or if there never was any.

Args: count (row of a count), call, before (the sign of what is beyond: < for min), pick
    (the function that picks such a value). Returns: mapping, see _aggregates.
#}
{% macro _extreme(count, call, before, pick) %}
    {%- set came_decides -%}
{came} is not null
            and coalesce({came} {{ before }}= {old}, true)
            and coalesce({came} {{ before }} {gone}, true)
    {%- endset -%}
    {%- set old_decides -%}
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
                undecided_by_deletes="not (" ~ came_decides ~ or_ ~ old_decides ~ or_ ~ never ~ ")",
                alive="(" ~ came_decides ~ ") or (" ~ old_decides ~ ")",
                unstaged="inserts",
                source="OpenIVM",
            )
        )
    }}
{% endmacro %}


{#
Whether the changes decide every value of the view: counts, sums and averages are added up, and
extremes if no row went.

Args: plan (strategy, values, changes, derived, dated). Returns: bool.
#}
{% macro _is_merge_decided(plan) %}
    {%- if plan.strategy != "aggregate delta" -%} {{ return(false) }}{%- endif -%}
    {%- set went = dbt_mview._may_rows_go(plan, plan.changes) -%}
    {%- set which = ["always"] if went else ["always", "inserts"] -%}
    {%- set rules = dbt_mview._aggregates() -%}
    {%- for kind in plan["values"].values() -%}
        {%- if kind not in rules or rules[kind].unstaged not in which -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}
