"""A join of the climb, by its kind, its side and its condition."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, MORE, find, leaf, node, tree

DBT = Dbt()
BEYOND = "OPERATOR_NOT_INCREMENTAL: Join {} over the optional side of a join"
KNOWN, UNKNOWN = "(k#2 = k#5)", "(s#4 = name#6)"


def step(
    kind: str, condition: str, *, left: bool, sure: Any = ("1", "2"), alike: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A join with the facts, which change, on the left or on the right."""
    sides = (FACTS, DIMS) if left else (DIMS, FACTS)
    nodes = tree(DBT, node(f"Join {kind}, {condition}", *sides))
    before = {"sure": sure and list(sure), "turned": [], "ranks": ["7"], "alike": alike}
    found: dict[str, Any] = DBT("_covered_join", nodes, before, leaf(nodes, "facts"), 0)
    return found


def kept(sure: Any, **more: Any) -> dict[str, Any]:
    return {"core": None, "ranks": [], "sure": sure, **more}


BOTH = ["1", "2", "5", "6"]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("kind", ["Inner", "Cross"])
def test_inner_joins(kind: str, left: bool) -> None:
    assert step(kind, KNOWN, left=left) == kept(BOTH)
    assert step(kind, KNOWN, left=left, sure=None) == kept(None)
    assert step(kind, UNKNOWN, left=left, sure=None) == kept(None)
    assert step(kind, UNKNOWN, left=left) == {"reason": BEYOND.format(kind)}


@pytest.mark.parametrize(("kind", "left"), [("LeftOuter", True), ("RightOuter", False)])
def test_the_preserved_side(kind: str, left: bool) -> None:
    """A condition over other columns drops no row: what it adds is not covered."""
    assert step(kind, KNOWN, left=left) == kept(BOTH)
    assert step(kind, UNKNOWN, left=left) == kept(["1", "2"])
    assert step(kind, UNKNOWN, left=left, sure=None) == kept(None)


@pytest.mark.parametrize(("kind", "left"), [("LeftOuter", False), ("RightOuter", True)])
def test_the_optional_side(kind: str, left: bool) -> None:
    for sure in (None, ("1", "2")):
        assert step(kind, KNOWN, left=left, sure=sure) == kept(["5", "6"], turned=[0], alike=[])
    assert step(kind, UNKNOWN, left=left, sure=None) == kept(["5", "6"], turned=[0], alike=[])
    assert step(kind, UNKNOWN, left=left) == {"reason": BEYOND.format(kind)}


@pytest.mark.parametrize(
    ("condition", "fine"),
    [
        (f"({KNOWN} AND (rn#7 = 1))", True),
        (f"({KNOWN} AND (rn#7 <= 3))", True),
        (f"({KNOWN} AND (rn#7 = 2))", False),
        (f"({KNOWN} AND (rn#8 = 1))", False),
        (f"({UNKNOWN} AND (rn#7 = 1))", False),
        (f"({KNOWN} OR (rn#7 = 1))", False),
        (f"({KNOWN} OR ({KNOWN} AND (rn#7 = 1)))", False),
        (f"NOT ({KNOWN} AND (rn#7 = 1))", False),
    ],
)
def test_first_ranks_in_the_condition(condition: str, fine: bool) -> None:
    found = step("LeftOuter", condition, left=False)
    if fine:
        assert found == kept(["5", "6"], turned=[0], alike=[])
        assert step("Inner", condition, left=False) == kept(BOTH)
    else:
        assert found == {"reason": BEYOND.format("LeftOuter")}
    assert step("LeftOuter", condition, left=True) == kept(["1", "2"]), "it drops no row"
    assert step("LeftAnti", condition, left=True)["reason"], "it keeps those of later ranks"


@pytest.mark.parametrize("kind", ["LeftSemi", "LeftAnti"])
def test_joins_that_filter(kind: str) -> None:
    assert step(kind, KNOWN, left=True) == {"core": None, "ranks": []}
    assert step(kind, UNKNOWN, left=True) == {"reason": BEYOND.format(kind)}
    found = step(kind, KNOWN, left=False)
    assert found == {"reason": f"OPERATOR_NOT_INCREMENTAL: Join {kind}"}


@pytest.mark.parametrize("kind", ["FullOuter", "ExistenceJoin(exists#9)", "AsOf"])
def test_other_joins(kind: str) -> None:
    for left in (True, False):
        for sure in (None, ("1", "2")):
            found = step(kind, KNOWN, left=left, sure=sure)
            assert found == {"reason": f"OPERATOR_NOT_INCREMENTAL: Join {kind}"}


def test_the_columns_beside() -> None:
    """All that the other side names, but nothing that this side does."""
    inner = node("Join Inner, (k#2 = k#5)", node("Project [id#1L, k#2]", FACTS), DIMS)
    nodes = tree(DBT, node("Join LeftOuter, x", inner, node("Filter (k#7 > k#2)", MORE)))
    assert DBT("_ids_beside", nodes, find(nodes, "Filter")) == ["5", "1", "6", "3", "4"] or set(
        DBT("_ids_beside", nodes, find(nodes, "Filter"))
    ) == {"1", "3", "4", "5", "6"}
    assert set(DBT("_ids_beside", nodes, find(nodes, "Join", 1))) == {"7", "8"}


def test_a_subquery_of_the_condition_is_no_side() -> None:
    plan = node("Join LeftOuter, exists#9 [k#5]", DIMS, FACTS, inner=(MORE,))
    nodes = tree(DBT, plan)
    assert set(DBT("_ids_beside", nodes, leaf(nodes, "facts"))) == {"5", "6"}


def test_ids_below_end_with_the_subtree() -> None:
    nodes = tree(DBT, node("Join Inner", node("Filter (id#1L > 3)", FACTS), DIMS))
    assert DBT("_ids_below", nodes, 1) == ["1", "2", "3", "4"]
    assert DBT("_ids_below", nodes, 3) == ["5", "6"]


def test_values_that_are_alike() -> None:
    """They find what they are equal to, and nothing else."""
    for sure in (None, ("1", "2")):
        for condition in (KNOWN, "(k#5 <=> k#2)"):
            assert "reason" not in step("Inner", condition, left=True, sure=sure, alike=("2",))
        for condition in ("(cast(k#2 as string) = name#6)", "(k#2 <= k#5)", "(k#2 = (k#5 + 1))"):
            found = step("Inner", condition, left=True, sure=sure, alike=("2",))
            assert found["reason"] == BEYOND.format("Inner"), condition
    assert step("LeftOuter", KNOWN, left=False, alike=("2",))["alike"] == []
