"""The table of operators: every row is met by a query of the corpus, and is followed as it says."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from tests.corpus import rules
from tests.corpus.plays import MAIN, RECORDS
from tests.corpus.queries import QUERIES

from ..kit.harness import Dbt
from ..kit.plans import DIMS, FACTS, node, tree
from .test_recorded import explained
from .test_recorded import tree as recorded

DBT = Dbt()
OPERATORS: dict[str, dict[str, Any]] = DBT("_operators")
AGGREGATES: dict[str, dict[str, Any]] = DBT("_aggregates")
SIDES: dict[str, list[dict[str, Any]]] = DBT("_join_sides")
WAYS = {"linear", "boundary", "keys", "refused", "leaf", "side"}
# What a query without rows of its own, or one that analyzes, has in no plan of the corpus.
UNPROVEN = {
    "Repartition", "RebalancePartitions", "Join", "Sample", "ScriptTransformation", "RelationV2",
    "LogicalRDD", "OneRowRelation", "Range", "ResolvedInlineTable", "UnionLoopRef",
}  # fmt: skip


@functools.cache
def seen(name: str) -> set[str]:
    """The operators, types of joins and kinds of subqueries in the plan of a query."""
    question = f"explain extended\nselect * from (\n{QUERIES[name]}\n) where false"
    nodes = recorded(MAIN, question) if question in explained(MAIN) else []
    asked = {one["asked"]["type"] for one in nodes if one["asked"]}
    return asked | {one["join_type"] or one["op"] for one in nodes}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_proven_by_a_query(name: str) -> None:
    row = OPERATORS[name]
    assert row["way"] in WAYS
    assert (row["proof"] is None) == (name in UNPROVEN)
    if row["proof"]:
        assert name in seen(row["proof"])
    followed = row["way"] in ("linear", "boundary", "keys")
    assert bool(row["keys"]) is followed
    assert bool(row["source"]) is (followed or "last" in row["traits"])


@pytest.mark.parametrize("kind", SIDES)
def test_a_side_of_a_join_is_proven_by_a_query(kind: str) -> None:
    assert len(SIDES[kind]) == 2
    for row in SIDES[kind]:
        assert row["way"] in WAYS
        assert bool(row["source"]) is bool(row["keys"]) is (row["way"] != "refused")
        if row["proof"]:
            assert kind in seen(row["proof"])


@pytest.mark.parametrize("name", AGGREGATES)
def test_an_aggregate_is_proven_by_a_query(name: str) -> None:
    """It follows a change in the way of its row."""
    judged = json.loads((RECORDS / "judged.json").read_text(encoding="utf-8"))
    ways = {
        kind
        for case, one in judged.items()
        if case.startswith(AGGREGATES[name]["proof"] + ":")
        for kind in one["values"].values()
    }
    assert name in ways
    assert AGGREGATES[name]["class"] in ("distributive", "algebraic")


def test_what_the_docs_call_an_operator() -> None:
    """Those that a user of SQL may write have words in docs/fast.md, and no others."""
    written = {name for name, row in OPERATORS.items() if row["way"] not in ("leaf", "side")}
    assert written == set(rules.WORDS) | set(rules.SAME)
    assert set(SIDES) == set(rules.SIDES) and not set(rules.WORDS) & set(rules.SAME)


def test_what_has_no_row_is_refused() -> None:
    above, below = tree(DBT, node("SomeNewOperator", FACTS))
    assert DBT("_rule_of", above, below) == {"way": "refused", "traits": []}
    join, left, right = tree(DBT, node("Join AsOf, x", FACTS, DIMS))
    assert {DBT("_rule_of", join, side)["way"] for side in (left, right)} == {"refused"}
    assert DBT("_rule_of", join)["way"] == "side"


def test_the_sides_of_a_join_differ() -> None:
    join, left, right = tree(DBT, node("Join LeftOuter, (k#2 = k#5)", FACTS, DIMS))
    assert DBT("_rule_of", join, left)["keys"] == "preserved"
    assert DBT("_rule_of", join, right)["keys"] == "matched"
    assert "decides" in DBT("_rule_of", join, right)["traits"]


def test_operators_by_a_trait() -> None:
    assert DBT("_operators_that", "chooses") == ["GlobalLimit", "LocalLimit", "Offset"]
    assert "Relation" in DBT("_operators_that", "stored")
