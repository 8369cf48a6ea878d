"""The sources that a view has read further than they are pinned."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt


def source(name: str, at: int | None, off: int = 0) -> dict[str, Any]:
    """One version each second. off: microseconds by which its time is told otherwise."""
    time = None if at is None else at * 1_000_000 + off
    return {"relation": name, "version": at, "commit_time": time}


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
        ([source("a", 2, -999_000)], [source("a", 1)], ["a"]),
        ([{**source("a", 9), "version": 1}], [source("a", 2)], ["a"]),
        ([{**source("a", 2), "version": 9}], [source("a", 3)], []),
        ([source("gone", 9)], [source("a", 2)], []),
        ([source("b", 1), source("a", 3)], [source("a", 2), source("b", 5)], ["a"]),
    ],
)
def test_read_further(read: Any, now: Any, further: list[str]) -> None:
    state = None if read is None else {"sources": read}
    found = Dbt()("_read_further", {"state": state, "sources": now})
    assert [one["relation"] for one in found] == further
