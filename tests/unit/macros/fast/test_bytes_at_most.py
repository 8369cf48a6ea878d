"""How much a view holds at most, by its own commits."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt


def commit(operation: str, method: str | None = None, **metrics: int) -> dict[str, Any]:
    meta = {"method": method} if method else None
    return {"operation": operation, "metrics": metrics, "meta": meta}


ALL = commit("WRITE", "complete", numOutputBytes=100)
MERGED = commit("MERGE", "fast", numTargetBytesAdded=7, numTargetBytesRemoved=5)
APPENDED = commit("WRITE", "fast", numOutputBytes=3)
HARMLESS = commit("OPTIMIZE", numAddedBytes=1000)


def at_most(*newest_first: dict[str, Any]) -> Any:
    return Dbt()("_bytes_at_most", list(newest_first))


def test_what_came_since_all_was_replaced() -> None:
    assert at_most(ALL) == 100
    assert at_most(MERGED, HARMLESS, APPENDED, ALL, commit("MERGE")) == 110


def test_what_does_not_tell() -> None:
    assert at_most() is None
    assert at_most(MERGED, APPENDED) is None, "all may have been replaced long ago"
    assert at_most(MERGED, commit("RESTORE"), ALL) is None
