"""The columns of a changed table that the query uses."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt
from .plans import DIMS, EQUAL, FACTS, GROUPED, chain, node, question

DBT = Dbt()
COLUMNS = [{"name": name, "type": "int"} for name in ("id", "k", "amt", "s")]
ALL = ["id", "k", "amt", "s"]
AGAIN = "Relation spark_catalog.shop.facts[id#21L,k#22,amt#23,s#24] parquet"
GROUPS = "k#2, n#10L, total#11"
STAGING = "View (`spark_catalog`.`shop`.`stg_facts`, [i#9L, k#2, amt#3, s#4])"
DIMS_BY_PLACE = node("Project [k#5, name#6]", DIMS)


def used(plan: str, columns: Any = COLUMNS, cut: bool = False) -> Any:
    reads = {"plan": plan, "cut": cut}
    return DBT("_used_columns", reads, "spark_catalog.shop.facts", columns)


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        (question(GROUPS, GROUPED, FACTS), ["k", "amt"]),
        (question(GROUPS, GROUPED, "Filter (s#4 = x)", FACTS), ["k", "amt", "s"]),
        (question(GROUPS, GROUPED, node(f"Join Inner, {EQUAL}", FACTS, DIMS)), ["k", "amt"]),
        (question("name#6", "Project [name#6]", node("Join Cross", FACTS, DIMS)), ["id"]),
        (question("n#10L", "Aggregate [count(1) AS n#10L]", FACTS), ["id"]),
        (
            question(
                "n#10L",
                "Aggregate [count(1) AS n#10L]",
                node("Join Inner, (id#1L = k#22)", FACTS, AGAIN),
            ),
            ["id", "k"],
        ),
        (
            question("id#1L, k#2, amt#3, s#4", "Project [id#1L, k#2, amt#3, s#4]", FACTS),
            ALL,
        ),
        (
            question(GROUPS, GROUPED, STAGING, "Project [id#1L AS i#9L, k#2, amt#3, s#4]", FACTS),
            ["k", "amt"],
        ),
        # Inside, by its place in the list of a UNION.
        (
            question(
                "k#2",
                "Project [k#2]",
                node("Union false, false", chain("Project [k#2, amt#3]", FACTS), DIMS_BY_PLACE),
            ),
            ["k", "amt"],
        ),
        (
            question("a#9", "Project [a#9]", "Project [k#2 AS a#9, s#4 AS b#8]", FACTS),
            ["k"],
        ),
        (
            question(
                "a#9",
                "Project [a#9]",
                "Filter (b#8 > 1)",
                "Project [k#2 AS a#9, s#4 AS b#8]",
                FACTS,
            ),
            ["k", "s"],
        ),
    ],
)
def test_used(plan: str, names: list[str]) -> None:
    assert used(plan) == names


PLAIN = question(GROUPS, GROUPED, FACTS)


@pytest.mark.parametrize(
    ("plan", "columns", "cut"),
    [
        (PLAIN, COLUMNS, True),
        (PLAIN, COLUMNS[1:], False),
        (PLAIN, [{"name": "other", "type": "int"}, *COLUMNS[1:]], False),
        # `TABLE facts UNION ALL TABLE more`: by their places.
        (question(GROUPS, GROUPED, node("Union false, false", FACTS, AGAIN)), COLUMNS, False),
        (question("id#1L", "Distinct", FACTS), COLUMNS, False),
        (
            question("k#5", node("Filter k#5 IN (list#9 [])", DIMS, inner=(FACTS,))),
            COLUMNS,
            False,
        ),
        (question("k#5", "Project [k#5]", DIMS), COLUMNS, False),
    ],
    ids=["cut", "other count", "other name", "by place", "distinct", "in a subquery", "not there"],
)
def test_not_told(plan: str, columns: Any, cut: bool) -> None:
    assert used(plan, columns, cut) is None
