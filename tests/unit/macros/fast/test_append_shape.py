"""Rows that come and go one by one, or are each a group."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import FACTS, columns, find, question, tree

DBT = Dbt()
TWO = columns("k int; s string")


def test_rows() -> None:
    assert DBT("_append_shape", TWO) == {
        "reason": None, "strategy": "append", "keys": ["k", "s"], "values": {}, "one_row": False
    }  # fmt: skip


@pytest.mark.parametrize("type_", ["map<string,int>", "array<map<int,int>>", "variant"])
def test_rows_that_cannot_be_compared(type_: str) -> None:
    found = DBT("_append_shape", [*TWO, {"name": "m", "type": type_}])
    assert found == {"reason": "OPERATOR_NOT_INCREMENTAL: rows with m cannot be compared"}
    found = DBT("_distinct_shape", [], 0, [{"name": "m", "type": type_}], True)
    assert found["reason"].endswith("rows with m cannot be compared")


def distinct(items: str, names: Any, *texts: str, sure: bool = True) -> Any:
    nodes = tree(DBT, question(items, *texts, FACTS))
    return DBT("_distinct_shape", nodes, find(nodes, "Distinct"), names, sure)


def test_distinct() -> None:
    found = distinct("k#2, s#4", TWO, "Distinct", "Project [k#2, s#4]")
    assert found == {
        "reason": None, "strategy": "keyed", "keys": ["k", "s"], "values": {}, "one_row": True
    }  # fmt: skip


def test_distinct_with_columns_left_out() -> None:
    """The rows are no longer unique; they are followed all the same."""
    below = ("Distinct", "Project [k#2, s#4]")
    for above, item in [("Project [k#2]", "k#2"), ("Project [upper(s#4) AS k#9]", "k#9")]:
        found = distinct(item, columns("k int"), above, *below)
        assert (found["reason"], found["one_row"]) == (None, False)


def test_distinct_in_a_plan_that_does_not_tell() -> None:
    assert not distinct("k#2, s#4", TWO, "Distinct", "Project [k#2, s#4]", sure=False)["one_row"]
    assert not distinct("x#2, s#4", TWO, "Distinct", "Project [x#2, s#4]")["one_row"]


def test_unchanged() -> None:
    found = DBT("_unchanged_shape")
    assert (found["strategy"], found["terms"], found["keys"]) == ("nothing", [], [])
