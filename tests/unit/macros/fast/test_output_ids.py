"""The columns of an operator."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, RANKED, chain, node, tree

DBT = Dbt()
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
    assert DBT("_output_ids", tree(DBT, plan), 0) == ids


def test_defined_ids() -> None:
    plan = node(
        "WithCTE",
        node("CTERelationDef 0, false", FACTS),
        node("CTERelationDef 12, false", node("SubqueryAlias d", DIMS)),
        "LocalRelation [x#1]",
    )
    nodes = tree(DBT, plan)
    assert [DBT("_defined_ids", nodes, cte) for cte in ("0", "12", "1")] == [LEFT, RIGHT, []]
