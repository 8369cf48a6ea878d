"""What happened to each source since the last success."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import FEED, delta, micros
from ...kit.harness import Dbt

A, B = "spark_catalog.shop.a", "spark_catalog.shop.b"


def pin(relation: str, version: int | None, minute: float = 0) -> dict[str, Any]:
    at = None if version is None else micros(minute)
    return {"relation": relation, "version": version, "commit_time": at}


def changes(before: Any, now: list[dict[str, Any]]) -> tuple[Dbt, Any]:
    dbt = Dbt()
    for name in (A, B):
        dbt.engine.tables[name] = delta(*range(6))
        dbt.engine.tables[name].properties.update(FEED)
    return dbt, dbt("_source_changes", {"state": {"sources": before}, "sources": now})


def test_those_that_moved() -> None:
    dbt, found = changes([pin(A, 2, 2), pin(B, 3, 3)], [pin(A, 4, 4), pin(B, 3, 3)])
    assert found["reason"] is None
    assert [(one["relation"], one["start"], one["end"]) for one in found["changes"]] == [(A, 2, 4)]
    assert not any("`b`" in one.sql for one in dbt.engine.log), "one that stayed is not asked"


def test_times_of_one_second_are_told_out_of_order() -> None:
    """One commit, listed alone and with others; and the one that was read, by its history."""
    was = pin(A, 2, 2)
    was["commit_time"] += 1000
    assert changes([was], [pin(A, 2, 2)])[1] == {"reason": None, "changes": []}
    found = changes([was], [pin(A, 3, 3)])[1]
    assert found["reason"] is None and len(found["changes"]) == 1


def test_none() -> None:
    dbt, found = changes([pin(A, 2, 2)], [pin(A, 2, 2)])
    assert found == {"reason": None, "changes": []}
    assert dbt.engine.log == []


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        ([pin(A, 2, 2)], [pin(A, 2, 2), pin(B, 1, 1)], "DEFINITION_CHANGED"),
        (None, [pin(A, 2, 2)], "DEFINITION_CHANGED"),
        ([pin(A, 2, 2)], [pin(A, None)], "INPUT_NOT_IN_DELTA: shop.a"),
        ([pin(A, None)], [pin(A, 2, 2)], "INPUT_NOT_IN_DELTA: shop.a"),
        ([pin(A, 4, 4)], [pin(A, 2, 2)], "SOURCE_REPLACED: shop.a"),
        ([pin(A, 2, 2)], [pin(A, 2, 7)], "SOURCE_REPLACED: shop.a"),
        ([pin(A, 1, 1), pin(B, 4, 9)], [pin(A, 2, 2), pin(B, 5, 5)], "SOURCE_REPLACED: shop.b"),
    ],
)
def test_reasons(before: Any, now: list[dict[str, Any]], reason: str) -> None:
    assert changes(before, now)[1] == {"reason": reason, "changes": []}
