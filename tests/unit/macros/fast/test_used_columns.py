"""The columns of a changed table that the query uses."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, EQUAL, FACTS, GROUPED, chain, node, question

DBT = Dbt()
FACTS_TABLE = "spark_catalog.shop.facts"
COLUMNS = [{"name": name, "type": "int"} for name in ("id", "k", "amt", "s")]
ALL = ["id", "k", "amt", "s"]
AGAIN = "Relation spark_catalog.shop.facts[id#21L,k#22,amt#23,s#24] parquet"
GROUPS = "k#2, n#10L, total#11"
STAGING = "View (`spark_catalog`.`shop`.`stg_facts`, [i#9L, k#2, amt#3, s#4])"
DIMS_BY_PLACE = node("Project [k#5, name#6]", DIMS)
EVERY = "id#1L, k#2, amt#3, s#4"
SRC = chain("SubqueryAlias src", f"Project [{EVERY}]", FACTS)
READ_SRC = ("SubqueryAlias src", f"CTERelationRef 0, true, [{EVERY}], false, false")
RENAMED = chain("SubqueryAlias ren", "Project [id#1L AS i#9L, k#2, amt#3, s#4 AS t#8]", *READ_SRC)
READ_RENAMED = (
    "SubqueryAlias ren",
    "CTERelationRef 1, true, [i#31L, k#32, amt#33, t#34], false, false",
)
SUMS = "Aggregate [k#32], [k#32, sum(amt#33) AS total#11]"


def ctes(query: str, *definitions: str) -> str:
    """A query over CTEs, each of which may read those before it."""
    numbered = [node(f"CTERelationDef {n}, false", text) for n, text in enumerate(definitions)]
    return node("WithCTE", *numbered, query)


def used(plan: str, columns: Any = COLUMNS, cut: bool = False) -> Any:
    reads = {"plan": plan, "cut": cut}
    return DBT("_used_columns", reads, FACTS_TABLE, columns)


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
        # A chain of CTEs, as dbt's users write it.
        (
            question("k#32, total#11", ctes(chain(SUMS, *READ_RENAMED), SRC, RENAMED)),
            ["k", "amt"],
        ),
        (
            question(
                "k#32, total#11",
                ctes(chain(SUMS, "Filter (t#34 = x)", *READ_RENAMED), SRC, RENAMED),
            ),
            ["k", "amt", "s"],
        ),
        # A UNION takes what it reads by place, from a CTE as from a table.
        (
            question(
                "k#2",
                "Project [k#2]",
                ctes(node("Union false, false", chain(*READ_SRC), DIMS_BY_PLACE), SRC),
            ),
            ALL,
        ),
        (
            question("k#2", "Project [k#2]", chain(STAGING, ctes(chain(*READ_SRC), SRC))),
            ["k"],
        ),
        # Read twice: each of its columns is taken for used.
        (
            question(
                "k#2",
                "Project [k#2]",
                ctes(
                    node("Join Inner, (k#2 = k#32)", chain(*READ_SRC), chain(*READ_RENAMED)),
                    SRC,
                    RENAMED,
                ),
            ),
            ALL,
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
            question(
                "k#2",
                "Project [k#2]",
                ctes(chain("CTERelationRef 0, true, [k#2], false, false"), SRC),
            ),
            COLUMNS,
            False,
        ),
        (
            question("k#5", node("Filter k#5 IN (list#9 [])", DIMS, inner=(FACTS,))),
            COLUMNS,
            False,
        ),
        (question("k#5", "Project [k#5]", DIMS), COLUMNS, False),
    ],
    ids=[
        "cut",
        "other count",
        "other name",
        "by place",
        "distinct",
        "cte",
        "in a subquery",
        "not there",
    ],
)
def test_not_told(plan: str, columns: Any, cut: bool) -> None:
    assert used(plan, columns, cut) is None


@pytest.mark.parametrize("type_", ["struct<a:int,... 5 more fields>", "struct<a b:int>"])
def test_a_type_that_cannot_be_written_is_read(type_: str) -> None:
    columns = [*COLUMNS[:3], {"name": "s", "type": type_}]
    assert used(PLAIN, columns) == ["k", "amt", "s"]


def test_columns_by_other_names() -> None:
    """As the plan has them, see _canonical."""
    reads = {
        "plan": question("n2_#2", "Project [n2_#2]", FACTS.replace("k#2", "n2_#2")),
        "cut": False,
    }
    named = [COLUMNS[0], {"name": "a, b", "type": "int"}, *COLUMNS[2:]]
    assert DBT("_used_columns", {**reads, "made": {"a, b": "n2_"}}, FACTS_TABLE, named) == ["a, b"]
    assert DBT("_used_columns", reads, FACTS_TABLE, named) is None
