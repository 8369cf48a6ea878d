{#
The rules of FAST as a table: each operator of a plan, how its result follows a change below it, and
what else is known of it. An operator that has no row is refused.
#}
{#
The operators, by Spark's names. docs/contributing.md says how to add one.

Returns: mapping operator -> mapping
    way      linear: the changed rows become those of its result; boundary: it ends the linear part,
             and decides the strategy; keys: it is followed by affected keys alone; side: see
             _join_sides; leaf; refused
    keys     how it carries affected keys, see _affected_step: same (as below it), items, filter,
             reference, union, rows (while all columns carry them), sets (the same, for both sides),
             groups, window, distinct; none
    is_over  bool: it may stand over the boundary operator
    traits   list of words
               empty     has no rows where it is given none
               passes    has the rows that it is given, and their columns under the same ids
               decides   decides by its condition which rows there are
               computes  makes columns of others, which its lists show
               names     names the columns that it asks for
               by_id     what is above it names the columns of what is below
               stored    a leaf that has rows of somewhere
               constant  a leaf that has the same rows each time
               chooses   which rows it takes may differ each time
               nondeterministic  its result changes by itself
               last      at the end of the query it is followed, see _limited_query
    source   where the rule is from, see docs/fast-internals.md
    proof    a query of tests/corpus that has it; or none
#}
{% macro _operators() %}
    {%- set rows = [
        ["Project", "linear", "items", "over empty computes names", "DBSP", "rows"],
        ["SubqueryAlias", "linear", "same", "over empty passes by_id", "DBSP", "rows"],
        ["View", "linear", "same", "over empty passes by_id", "DBSP", "left_view"],
        [
            "WithCTE",
            "linear",
            "same",
            "over empty passes by_id",
            "DBSP",
            "cte_over_join",
        ],
        [
            "CTERelationDef",
            "linear",
            "same",
            "over empty passes by_id",
            "DBSP",
            "cte_over_join",
        ],
        [
            "CTERelationRef",
            "linear",
            "reference",
            "over empty by_id constant",
            "DBSP",
            "left_view",
        ],
        ["Sort", "linear", "same", "over empty passes", "DBSP", "cte_over_join"],
        ["ResolvedHint", "linear", "same", "over empty", "DBSP", "hinted"],
        ["Filter", "linear", "filter", "empty decides by_id", "DBSP", "rows"],
        ["Generate", "linear", "rows", "empty", "DBSP", "exploded"],
        ["Union", "linear", "union", "empty", "DBSP", "unioned"],
        ["Repartition", "linear", "same", "", "DBSP", none],
        ["RepartitionByExpression", "linear", "same", "", "DBSP", "spread"],
        ["RebalancePartitions", "linear", "same", "", "DBSP", none],
        ["Join", "side", none, "empty decides by_id", none, none],
        [
            "Aggregate",
            "boundary",
            "groups",
            "empty computes names",
            "OpenIVM",
            "counted",
        ],
        ["Distinct", "boundary", "distinct", "empty", "OpenIVM", "distinct_rows"],
        [
            "Window",
            "boundary",
            "window",
            "empty computes by_id",
            "pg_trickle",
            "shares",
        ],
        ["GlobalLimit", "refused", none, "chooses last", "our own", "first_groups"],
        ["LocalLimit", "refused", none, "chooses last", "our own", "first_groups"],
        ["Offset", "refused", none, "chooses", none, "offset_by"],
        ["Except", "keys", "sets", "", "Griffin and Libkin", "excepted"],
        ["Intersect", "keys", "sets", "", "Griffin and Libkin", "intersected"],
        [
            "Expand",
            "linear",
            "items",
            "empty computes names",
            "DBSP",
            "rolled_up",
        ],
        ["Sample", "refused", none, "nondeterministic", none, none],
        ["ScriptTransformation", "refused", none, "nondeterministic", none, none],
        ["Relation", "leaf", none, "stored", none, "rows"],
        ["RelationV2", "leaf", none, "stored", none, none],
        ["LogicalRDD", "leaf", none, "stored", none, none],
        ["LocalRelation", "leaf", none, "constant", none, "listed"],
        ["OneRowRelation", "leaf", none, "constant", none, none],
        ["Range", "leaf", none, "constant", none, none],
        ["ResolvedInlineTable", "leaf", none, "constant", none, none],
        ["UnionLoopRef", "leaf", none, "constant", none, none],
    ] -%}
    {%- set operators = {} -%}
    {%- for name, way, keys, words, source, proof in rows -%}
        {%- set traits = words.split() -%}
        {%- do operators.update(
            {
                name: {
                    "way": way,
                    "keys": keys,
                    "is_over": "over" in traits,
                    "traits": traits,
                    "source": source,
                    "proof": proof,
                }
            }
        ) -%}
    {%- endfor -%}
    {{ return(operators) }}
{% endmacro %}


{#
The sides of joins: how the result follows a change of the rows on one side of it. A subquery that a
filter asks by EXISTS or IN is a right side, see _link_subqueries.

Returns: mapping type of join, or of what is asked -> two mappings, of its left and its right side
    way     linear, keys or refused, see _operators
    keys    how it carries affected keys, see _affected_join: both (its columns and the other
            side's), preserved (the same, as far as the condition goes), filtered (its own),
            matched (those of the other side, by the rows of it that match), either (what the
            condition compares, of whichever side has it), filter (as the Filter that asks, see
            _operators); none
    source  where the rule is from
    proof   a query of tests/corpus that has it, with a change of that side; or none
#}
{% macro _join_sides() %}
    {%- set rows = [
        ["Inner", "left", "linear", "both", "Enzyme", "joined_rows"],
        ["Inner", "right", "linear", "both", "Enzyme", "joined_rows"],
        ["Cross", "left", "linear", "both", "Enzyme", "part_of_all"],
        ["Cross", "right", "linear", "both", "Enzyme", "part_of_all"],
        ["LeftOuter", "left", "linear", "preserved", "Larson and Zhou", "left_unique"],
        ["LeftOuter", "right", "keys", "matched", "Larson and Zhou", "left_unique"],
        ["RightOuter", "left", "keys", "matched", "Larson and Zhou", "right_grouped"],
        [
            "RightOuter",
            "right",
            "linear",
            "preserved",
            "Larson and Zhou",
            "right_grouped",
        ],
        ["LeftSemi", "left", "linear", "filtered", "Griffin and Kumar", "semi_joined"],
        ["LeftSemi", "right", "keys", "matched", "Griffin and Kumar", "semi_joined"],
        ["LeftAnti", "left", "linear", "filtered", "Griffin and Kumar", "anti_joined"],
        ["LeftAnti", "right", "keys", "matched", "Griffin and Kumar", "anti_joined"],
        ["exists", "left", "linear", "filter", "Griffin and Kumar", "present"],
        ["exists", "right", "keys", "matched", "Griffin and Kumar", "present"],
        ["not exists", "left", "linear", "filter", "Griffin and Kumar", "absent"],
        ["not exists", "right", "keys", "matched", "Griffin and Kumar", "absent"],
        ["in", "left", "linear", "filter", "Griffin and Kumar", "in_groups"],
        ["in", "right", "keys", "matched", "Griffin and Kumar", "in_groups"],
        ["not in", "left", "linear", "filter", "Griffin and Kumar", "not_in"],
        ["not in", "right", "keys", "matched", "Griffin and Kumar", "not_in"],
        ["FullOuter", "left", "keys", "either", "Larson and Zhou", "full_joined"],
        ["FullOuter", "right", "keys", "either", "Larson and Zhou", "full_joined"],
    ] -%}
    {%- set sides = {} -%}
    {%- for type, _, way, keys, source, proof in rows -%}
        {%- do sides.setdefault(type, []).append(
            {"way": way, "keys": keys, "source": source, "proof": proof}
        ) -%}
    {%- endfor -%}
    {{ return(sides) }}
{% endmacro %}
