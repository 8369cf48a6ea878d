"""Operators of a plan: what stands above and below, what they give."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import DIMS, FACTS, GROUPED, MORE, RANKED, chain, find, leaf, node, tree

# The climb from a table to the result.


DBT = Dbt()
REF = "CTERelationRef 0, true, [id#20L, k#21], false, false"
DEFINED = node("CTERelationDef 0, false", node("SubqueryAlias c", FACTS))
NESTED = node("Filter exists#9 [k#2]", FACTS, inner=(node("Project [1 AS 1#8]", DIMS),))


def test_parents_to_the_root() -> None:
    nodes = tree(DBT, node("Sort [k#2]", node("Project [k#2]", FACTS)))
    assert [DBT("_parent", nodes, index) for index in range(3)] == [None, 0, 1]


def test_from_a_cte_to_where_it_is_read() -> None:
    main = node("Join Inner", node("SubqueryAlias c", REF), DIMS)
    nodes = tree(DBT, node("WithCTE", DEFINED, main))
    definition, reference = find(nodes, "CTERelationDef"), find(nodes, "CTERelationRef")
    assert DBT("_parent", nodes, definition) == reference
    assert DBT("_parent", nodes, reference) == find(nodes, "SubqueryAlias", 1)


def test_of_many_ctes_by_number() -> None:
    other = node("CTERelationDef 10, false", MORE)
    main = node("Union false, false", REF.replace(" 0,", " 10,"), REF)
    nodes = tree(DBT, node("WithCTE", DEFINED, other, main))
    assert DBT("_parent", nodes, find(nodes, "CTERelationDef")) == len(nodes) - 1
    assert DBT("_parent", nodes, find(nodes, "CTERelationDef", 1)) == len(nodes) - 2


def test_a_cte_that_is_read_twice_or_never() -> None:
    reason = "OPERATOR_NOT_INCREMENTAL: a CTE that is read {} times"
    for times, main in [(2, node("Join Inner", REF, REF)), (0, DIMS)]:
        nodes = tree(DBT, node("WithCTE", DEFINED, main))
        found = DBT("_parent", nodes, find(nodes, "CTERelationDef"))
        assert found == reason.format(times)


def test_a_subquery_of_a_value_ends_the_climb() -> None:
    nodes = tree(DBT, NESTED.replace("exists#9 [k#2]", "(k#2 > scalar-subquery#9 [k#2])"))
    inner = nodes[leaf(nodes, "dims")]["parent"]
    assert DBT("_parent", nodes, inner) == "SUBQUERY_NOT_INCREMENTAL"
    assert DBT("_parent", nodes, leaf(nodes, "facts")) == 0


def test_a_subquery_of_a_condition_leads_to_its_filter() -> None:
    nodes = tree(DBT, NESTED)
    inner = nodes[leaf(nodes, "dims")]["parent"]
    assert DBT("_climb", nodes, leaf(nodes, "dims")) == {"nodes": [inner, 0], "reason": None}


@pytest.mark.parametrize(
    ("condition", "types"),
    [
        ("exists#9 [k#2]", ["exists", None]),
        ("NOT exists#9 [k#2 && s#4]", ["not exists", None]),
        ("(NOT exists#9 [] AND k#2 IN (list#10 []))", ["not exists", "in"]),
        ("((k#2 > 1) AND (exists#9 [k#2] AND NOT k#2 IN (list#10 [k#2])))", ["exists", "not in"]),
        ("((1000000 = 1000000) OR (exists#9 [k#2] AND exists#10 [k#2]))", ["exists", "exists"]),
        ("(exists#9 [k#2] AND (k#2 > scalar-subquery#10 []))", ["exists", None]),
        ("(exists#9 [k#2] AND (exists#10 [k#2] OR (k#2 = 1)))", ["exists", None]),
        ("(exists#9 [k#2] OR exists#10 [k#2])", [None, None]),
        ("NOT (exists#9 [k#2] AND exists#10 [k#2])", [None, None]),
        ("NOT NOT exists#9 [k#2]", [None, None]),
        ("(exists#9 [k#2] = exists#10 [k#2])", [None, None]),
        ("(((1000000 = 1000000) OR exists#9 [k#2]) OR exists#10 [k#2])", [None, None]),
        ("CASE WHEN (exists#9 [k#2] AND exists#10 [k#2]) THEN a ELSE b END", [None, None]),
        ("(s#4 = a AND b)", [None, None]),
    ],
)
def test_what_a_filter_asks_of_its_subqueries(condition: str, types: list[str | None]) -> None:
    numbers = [number for number in ("9", "10") if f"#{number} " in condition]
    inner = tuple(f"Project [k#{number}]" for number in numbers)
    nodes = tree(DBT, node(f"Filter {condition}", FACTS, inner=inner))
    asked = [one["asked"] and one["asked"]["type"] for one in nodes if one["inner"]]
    assert asked == types[: len(inner)]


def test_only_filters_ask() -> None:
    for text in ("Project [exists#9 [k#2] AS x#3]", "Join Inner, exists#9 [k#2]", "Sort [x]"):
        nodes = tree(DBT, node(text, FACTS, inner=(DIMS,)))
        assert [one["asked"] for one in nodes] == [None] * 3
    more = tree(DBT, node("Filter (exists#9 [k#2] AND k#2 IN (list#8 []))", FACTS, inner=(DIMS,)))
    assert [one["asked"] for one in more] == [None] * 3, "one that the plan does not show"


def test_occurrences_are_those_of_the_text() -> None:
    """FROM stands before WHERE; a list of columns before FROM."""
    below = node("Filter exists#9 [k#2]", FACTS, inner=(FACTS,))
    nodes = tree(DBT, node("Project [scalar-subquery#8 [] AS x#3]", below, inner=(FACTS,)))
    listed, asked, main = (leaf(nodes, "facts", turn) for turn in range(3))
    names = {index: place["name"][-1] for index, place in DBT("_occurrences", nodes).items()}
    assert names == {listed: "0", main: "1", asked: "2"}
    assert list(names) == [listed, asked, main], "in the order of the plan"
    nodes.append({**nodes[main], "index": len(nodes), "parent": None, "inner": False})
    assert list(DBT("_occurrences", nodes)) == [listed, asked, main, len(nodes) - 1]


# The columns of an operator.


LEFT, RIGHT = ["1", "2", "3", "4"], ["5", "6"]


@pytest.mark.parametrize(
    ("plan", "ids"),
    [
        (FACTS, LEFT),
        (node("Project [k#2 AS a#20, s#4]", FACTS), ["20", "4"]),
        (node(GROUPED, FACTS), ["2", "10", "11"]),
        (node("Aggregate [count(1) AS n#20L]", FACTS), ["20"]),
        ("CTERelationRef 0, true, [k#30, n#31L], false, false", ["30", "31"]),
        (chain("SubqueryAlias a", "Filter (k#2 > 1)", FACTS), LEFT),
        (node("Distinct", node("Project [k#2]", FACTS)), ["2"]),
        (node("Join Inner, (k#2 = k#5)", FACTS, DIMS), LEFT + RIGHT),
        (node("Join LeftOuter", FACTS, DIMS), LEFT + RIGHT),
        (node("Join LeftSemi, (k#2 = k#5)", FACTS, DIMS), LEFT),
        (node("Join LeftAnti, (k#2 = k#5)", FACTS, DIMS), LEFT),
        (node("Union false, false", DIMS, FACTS), RIGHT),
        (node(RANKED, FACTS), [*LEFT, "12"]),
        (node("Filter exists#9 [k#2]", FACTS, inner=(DIMS,)), LEFT),
        ("LocalRelation [x#1]", []),
    ],
)
def test_output_ids(plan: str, ids: list[str]) -> None:
    assert tree(DBT, plan)[0]["output"] == ids


def test_what_a_reference_reads_of_its_cte() -> None:
    plan = node(
        "WithCTE",
        node("CTERelationDef 0, false", FACTS),
        node("CTERelationDef 12, false", node("SubqueryAlias d", DIMS)),
        node("Join Cross", node("Join Cross", "CTERelationRef 12, true, [k#30, name#31]",
             "CTERelationRef 0, true, [k#32]"), "CTERelationRef 1, true, [k#33]"),
    )  # fmt: skip
    nodes = tree(DBT, plan)
    refs = [one for one in nodes if one["op"] == "CTERelationRef"]
    assert [one["definition"] for one in refs] == [3, 1, None]
    read = [DBT("_read_from_cte", nodes, one) for one in refs]
    assert read == [{"30": "5", "31": "6"}, None, None], "by their places"


# The tables of a plan.


def test_every_place_by_its_turn() -> None:
    plan = node("Join Inner", node("Join Inner", FACTS, DIMS), node("Filter x", FACTS))
    assert DBT("_occurrences", tree(DBT, plan)) == {
        2: {"relation": "spark_catalog.shop.facts", "name": "spark_catalog.shop.facts 0"},
        3: {"relation": "spark_catalog.shop.dims", "name": "spark_catalog.shop.dims 0"},
        5: {"relation": "spark_catalog.shop.facts", "name": "spark_catalog.shop.facts 1"},
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FACTS, "spark_catalog.shop.facts"),
        ("Relation spark_catalog.Shop.Facts[] parquet", "spark_catalog.shop.facts"),
        ("RelationV2[a#1, b c#2] ice.db.t ice.db.t", "ice.db.t"),
        ("RelationV2[a#1] ice.db.t VERSION AS OF '3'", "ice.db.t"),
        ("LocalRelation [a#1]", None),
        ("View (`spark_catalog`.`shop`.`v`, [k#2])", None),
    ],
)
def test_relation_name(text: str, name: Any) -> None:
    assert tree(DBT, text)[0]["relation"] == name


# What is linear in which of its children.


SIDES = {
    "Inner": [True, True],
    "Cross": [True, True],
    "LeftOuter": [True, False],
    "RightOuter": [False, True],
    "FullOuter": [False, False],
    "LeftSemi": [True, False],
    "LeftAnti": [True, False],
    "ExistenceJoin(exists#9)": [False, False],
    "AsOf": [False, False],
}


@pytest.mark.parametrize("kind", SIDES)
@pytest.mark.parametrize("condition", ["", ", (k#2 = k#5)", ", (k#2 = k#5), rightHint=(x)"])
def test_joins_by_side(kind: str, condition: str) -> None:
    join, left, right = tree(DBT, node(f"Join {kind}{condition}", FACTS, DIMS))
    assert [DBT("_is_linear", join, left), DBT("_is_linear", join, right)] == SIDES[kind]
    assert DBT("_operator_name", join) == f"Join {kind}"


@pytest.mark.parametrize(
    ("text", "linear"),
    [
        ("Project [k#2]", True),
        ("Filter (k#2 > 1)", True),
        ("SubqueryAlias a", True),
        ("View (`c`.`s`.`v`, [k#2])", True),
        ("Sort [k#2 ASC NULLS FIRST], true", True),
        ("Union false, false", True),
        ("Generate explode(a#9), false, [x#10]", True),
        ("Repartition 2, true", True),
        ("RepartitionByExpression [k#2]", True),
        ("ResolvedHint (strategy=broadcast)", True),
        ("WithCTE", True),
        ("GlobalLimit 5", False),
        ("LocalLimit 5", False),
        ("Offset 5", False),
        ("Expand [[k#2, 0], [null, 1]], [k#2, g#9L]", True),
        ("Aggregate [k#2], [k#2]", False),
        ("Distinct", False),
        ("Except false", False),
        ("Intersect true", False),
        ("Window [rank() AS r#3]", False),
        ("Pivot x", False),
        ("LateralJoin lateral-subquery#3 [k#2], Inner", False),
        ("UnionLoop 1", False),
        ("SomeNewOperator", False),
    ],
)
def test_operators(text: str, linear: bool) -> None:
    above, below = tree(DBT, node(text, FACTS))
    assert DBT("_is_linear", above, below) is linear


@pytest.mark.parametrize(
    ("text", "name"),
    [("GlobalLimit 5", "Limit"), ("LocalLimit 5", "Limit"), ("Expand [x]", "Expand")],
)
def test_names_as_users_know_them(text: str, name: str) -> None:
    assert DBT("_operator_name", tree(DBT, text)[0]) == name


def test_what_projects_is_linear() -> None:
    operators = DBT("_operators")
    over = {name for name, rule in operators.items() if rule["is_over"]}
    assert over < {name for name, rule in operators.items() if rule["way"] == "linear"}
    assert "Filter" not in over


# What an Aggregate is grouped by, with commas in literals.


@pytest.mark.parametrize(
    ("parts", "items", "grouping"),
    [
        (["k#1", "s#2"], ["k#1", "count(1) AS n#3L"], ["k#1", "s#2"]),
        (
            ["if (p#1) a", "b else c", "k#2"],
            ["if (p#1) a, b else c AS x#3"],
            ["if (p#1) a, b else c", "k#2"],
        ),
        (["a", "b", "k#2"], ["k#2", "a AS x#3"], ["a", "b", "k#2"]),
        ([], ["count(1) AS n#3L"], []),
    ],
)
def test_grouping(parts: list[str], items: list[str], grouping: list[str]) -> None:
    assert Dbt()("_grouping", parts, Dbt()("_plan_items", items)) == grouping


# An Expand: ROLLUP, CUBE, GROUPING SETS, UNPIVOT.

SETS = (
    "Expand [[k#2, s#4, k#20, s#21, 0], [k#2, s#4, k#20, null, 1], [k#2, s#4, null, null, 3]],"
    " [k#2, s#4, k#22, s#23, spark_grouping_id#24L]"
)


def test_what_the_rows_of_an_expand_have_in_a_column() -> None:
    one = tree(DBT, node(SETS, FACTS))[0]
    assert one["understood"] and one["output"] == ["2", "4", "22", "23", "24"]
    columns = [(c["id"], c["expression"], c["references"], c["alias"]) for c in one["columns"]]
    assert columns == [
        ("2", "k#2", ["2"], False),
        ("4", "s#4", ["4"], False),
        ("22", "k#20, k#20, null", ["20", "20"], True),
        ("23", "s#21, null, null", ["21"], True),
        ("24", "0, 1, 3", [], True),
    ]
    assert one["decides"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Expand [[k#2, 0], [null]], [k#2, g#9L]",  # an empty text is printed as nothing
        "Expand [[k#2, a, b], [null, 1]], [k#2, g#9L]",  # one with a comma
        "Expand [[k#2, 0]]",
        "Expand [[k#2, 0]], [k#2, g]",
    ],
)
def test_an_expand_that_is_not_understood(text: str) -> None:
    assert not tree(DBT, node(text, FACTS))[0]["understood"]


def test_an_expand_whose_line_is_cut_may_make_each_column_of_any() -> None:
    cut = "Expand [[k#2, ... 2 more fields], [k#2, ... 2 more fields]], [k#9, ... 2 more fields]"
    one = tree(DBT, node(cut, FACTS))[0]
    assert one["understood"] and one["truncated"] and one["output"] == ["9", None]
    assert " more fields" in one["columns"][0]["expression"]


@pytest.mark.parametrize(
    ("bits", "is_told"), [([], False), ([0], False), ([1], False), ([1, 0], True)]
)
def test_bits_tell_the_sets_apart(bits: list[int], is_told: bool) -> None:
    nodes = tree(DBT, chain("Aggregate [k#22, s#23, spark_grouping_id#24L], [k#22]", SETS, FACTS))
    assert DBT("_is_told_by_bits", nodes, 0, "#24L", bits) is is_told
    assert not DBT("_is_told_by_bits", nodes, 0, "#22", [1, 0]), "a key that is none of Spark's"


def test_one_set_needs_no_bit() -> None:
    one = "Expand [[k#2, k#20, 0]], [k#2, k#22, spark_grouping_id#24L]"
    nodes = tree(DBT, chain("Aggregate [k#22, spark_grouping_id#24L], [k#22]", one, FACTS))
    assert DBT("_is_told_by_bits", nodes, 0, "#24L", [])


@pytest.mark.parametrize(
    ("text", "bit"),
    [
        (
            "cast((shiftright(spark_grouping_id#24L, 1) & 1) as tinyint) AS grouping(k)#9",
            {"key": "#24L", "bit": 1},
        ),
        ("spark_grouping_id#24L AS level#9L", None),
        ("cast((shiftright(id#24L, 1) & 1) as tinyint) AS x#9", None),
    ],
)
def test_grouping_of_a_key_is_a_bit(text: str, bit: object) -> None:
    assert DBT("_grouping_bit", DBT("_plan_item", text)) == bit
