"""The sources that a view has read further than they are pinned."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import delta, micros
from ...kit.harness import Dbt

TABLES = ("spark_catalog.shop.a", "spark_catalog.shop.b")
HOUR = 3_600_000_000


def source(name: str, at: int | None, off: int = 0) -> dict[str, Any]:
    """One version each minute. off: microseconds by which its time is told otherwise."""
    time = None if at is None else micros(at) + off
    return {"relation": f"spark_catalog.shop.{name}", "version": at, "commit_time": time}


@pytest.mark.parametrize(
    ("read", "now", "further"),
    [
        (None, [source("a", 1)], []),
        ([source("a", 1)], [source("a", 1)], []),
        ([source("a", 1)], [source("a", 2)], []),
        ([source("a", 3)], [source("a", 2)], ["a"]),
        ([source("a", None)], [source("a", 2)], []),
        ([source("a", 3)], [source("a", None)], []),
        ([source("a", 1, 1000)], [source("a", 1)], []),
        ([{**source("a", 2, 1000), "version": 1}], [source("a", 2)], []),
        ([source("a", 2, -59_000_000)], [source("a", 1)], ["a"]),
        ([{**source("a", 3), "version": 1}], [source("a", 2)], ["a"]),
        ([{**source("a", 2), "version": 9}], [source("a", 3)], []),
        ([source("gone", 9)], [source("a", 2)], []),
        ([source("b", 1), source("a", 3)], [source("a", 2), source("b", 3)], ["a"]),
        # Of another zone; what is no zone; a version that is not there.
        ([source("a", 1, 9 * HOUR)], [source("a", 2)], []),
        ([source("a", 2, 14 * HOUR + 9_000)], [source("a", 2)], []),
        ([source("a", 1, 5 * HOUR - HOUR // 4)], [source("a", 2)], []),
        ([source("a", 1, 9 * HOUR + 60_000_000)], [source("a", 2)], ["a"]),
        ([source("a", 1, 27 * HOUR)], [source("a", 2)], ["a"]),
        ([source("a", 3, 9 * HOUR)], [source("a", 2)], ["a"]),
    ],
)
def test_read_further(read: Any, now: Any, further: list[str]) -> None:
    state = None if read is None else {"sources": read}
    dbt = Dbt()
    dbt.engine.tables.update({name: delta(0, 1, 2, 3) for name in TABLES})
    found = dbt("_read_further", {"state": state, "sources": now})
    assert [one["relation"].rpartition(".")[2] for one in found] == further
