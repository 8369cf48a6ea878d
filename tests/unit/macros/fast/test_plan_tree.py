"""The analyzed plan as a tree."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, MORE, chain, find, node, question, tree

DBT = Dbt()


def outline(plan: str) -> list[tuple[str, Any, bool, int]]:
    """(operator, parent, inner, position) of every line."""
    found = DBT("_plan_tree", plan)
    return [(one["op"], one["parent"], one["inner"], one["position"]) for one in found]


def test_one_below_the_other() -> None:
    plan = question("k#2, n#10L, total#11", GROUPED, FACTS)
    assert outline(plan) == [
        ("Project", None, False, 0),
        ("Filter", 0, False, 0),
        ("SubqueryAlias", 1, False, 0),
        ("Aggregate", 2, False, 0),
        ("Relation", 3, False, 0),
    ]
    nodes = tree(DBT, plan)
    assert [one["depth"] for one in nodes] == [0, 1, 2, 3, 4]
    assert nodes[3]["text"] == GROUPED.split(" ", 1)[1]
    assert nodes[4]["text"] == FACTS.split(" ", 1)[1]


def test_sides_of_a_join() -> None:
    join = node("Join Inner, (k#2 = k#5)", node("Filter (id#1L > 3)", FACTS), DIMS)
    assert outline(node("Join LeftOuter, (k#2 = k#7)", join, MORE)) == [
        ("Join", None, False, 0),
        ("Join", 0, False, 0),
        ("Filter", 1, False, 0),
        ("Relation", 2, False, 0),
        ("Relation", 1, False, 1),
        ("Relation", 0, False, 1),
    ]


EXISTS = "Filter ((s#4 = x) AND exists#7 [k#2])"
SUBQUERY = chain("Project [1 AS 1#8]", "Filter (outer(k#2) = k#5)", DIMS)


def test_a_subquery_is_no_child() -> None:
    plan = node(EXISTS, FACTS, inner=(SUBQUERY,))
    assert plan.splitlines()[1] == ":  +- Project [1 AS 1#8]"
    assert outline(plan) == [
        ("Filter", None, False, 0),
        ("Project", 0, True, 0),
        ("Filter", 1, False, 0),
        ("Relation", 2, False, 0),
        ("Relation", 0, False, 0),
    ]


def test_two_subqueries_and_one_within_the_other() -> None:
    inside = node("Filter (x#9 > scalar-subquery#20 [])", MORE, inner=(DIMS,))
    plan = chain("Sort [k#2 ASC NULLS FIRST], true", node(EXISTS, FACTS, inner=(SUBQUERY, inside)))
    assert outline(plan) == [
        ("Sort", None, False, 0),
        ("Filter", 0, False, 0),
        ("Project", 1, True, 0),
        ("Filter", 2, False, 0),
        ("Relation", 3, False, 0),
        ("Filter", 1, True, 0),
        ("Relation", 5, True, 0),
        ("Relation", 5, False, 0),
        ("Relation", 1, False, 0),
    ]


def test_a_subquery_of_an_operator_without_children() -> None:
    plan = node("Project [scalar-subquery#7 [] AS s#8]", inner=(FACTS,))
    assert plan.splitlines()[1].startswith("   +- Relation")
    assert outline(node("Join Cross", plan, DIMS)) == [
        ("Join", None, False, 0),
        ("Project", 0, False, 0),
        ("Relation", 1, True, 0),
        ("Relation", 0, False, 1),
    ]


def test_ctes_and_views() -> None:
    view = node("View (`spark_catalog`.`shop`.`v`, [k#5,name#6])", DIMS)
    plan = node(
        "WithCTE",
        node("CTERelationDef 0, false", node("SubqueryAlias a", FACTS)),
        node("CTERelationDef 1, false", node("SubqueryAlias b", view)),
        node("Join Inner", "CTERelationRef 0, true, [k#20], false, false", "LocalRelation [x#1]"),
    )
    nodes = DBT("_plan_tree", plan)
    definitions = [one for one in nodes if one["op"] == "CTERelationDef"]
    assert [one["position"] for one in definitions] == [0, 1]
    join = nodes[find(nodes, "Join")]
    assert (join["parent"], join["position"]) == (0, 2)
    assert nodes[find(nodes, "View")]["text"].startswith("(`spark_catalog`.`shop`.`v`, ")


@pytest.mark.parametrize(
    "literal",
    [
        "x\ny",
        "\n\nProject of mine",
        "a\nSort b",
        "\n+ Filter",
        "\r\nView (`v`",
        "x\n   Limit",
        "\n",
    ],
)
def test_the_line_breaks_of_literals_begin_no_operator(literal: str) -> None:
    """Spark prints them as they are."""
    plan = chain("GlobalLimit 5", f"Filter NOT (s#4 = {literal})", FACTS)
    assert [one[:2] for one in outline(plan)] == [
        ("GlobalLimit", None), ("Filter", 0), ("Relation", 1)
    ]  # fmt: skip
    assert "\n" not in DBT("_plan_tree", plan)[1]["text"]


def test_an_operator_that_is_not_resolved() -> None:
    assert outline("'Project [*]\n+- 'UnresolvedRelation [t], [], false")[1][0] == (
        "UnresolvedRelation"
    )
