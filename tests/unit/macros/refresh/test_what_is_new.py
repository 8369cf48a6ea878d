"""The sources that are not as they were read last."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


def source(name: str, version: int | None, at: int | None = None) -> dict[str, Any]:
    at = version if at is None else at
    return {"relation": f"c.s.{name}", "table_id": "x", "version": version, "commit_time": at}


@pytest.mark.parametrize(
    ("old", "new", "unbound", "why"),
    [
        ([source("a", 1)], [source("a", 1)], [], None),
        ([], [], [], None),
        (None, [], [], None),
        ([source("a", 1)], [source("a", 3)], [], "s.a v1 -> v3"),
        (
            [source("a", 1), source("b", 2)],
            [source("b", 3), source("a", 2)],
            [],
            "s.b v2 -> v3, s.a v1 -> v2",
        ),
        ([source("a", 5)], [source("a", 2)], [], "SOURCE_REPLACED: s.a v2"),
        ([source("a", 5)], [source("a", 5, at=10005)], [], None),
        ([source("a", 5)], [source("a", 5, at=10006)], [], "SOURCE_REPLACED: s.a v5"),
        ([source("a", None)], [source("a", 5)], [], "SOURCE_REPLACED: s.a v5"),
        ([], [source("a", 1)], [], "s.a is new"),
        ([source("a", 1)], [], [], "c.s.a is no longer read"),
        ([source("a", 1)], [source("a", None)], [], "INPUT_NOT_IN_DELTA: s.a has no versions"),
        (
            [source("a", 1)],
            [source("a", 1)],
            ["c.s.a", "a file read by its path"],
            "SOURCE_NOT_BOUND: c.s.a, a file read by its path cannot be pinned in the query",
        ),
    ],
)
def test_what_is_new(old: Any, new: Any, unbound: list[str], why: str | None) -> None:
    assert Dbt()("_what_is_new", old, new, unbound) == why


def test_what_was_read_further_is_no_news() -> None:
    old, new = [source("a", 5), source("b", 1)], [source("a", 2), source("b", 2)]
    assert Dbt()("_what_is_new", old, new, [], ["c.s.a"]) == "s.b v1 -> v2"


def test_a_replaced_source_with_a_higher_version() -> None:
    """Recreated and written further than before: the version alone does not show it."""
    why = Dbt()("_what_is_new", [source("a", 1, at=10)], [source("a", 4, at=20)], [])
    assert why == "s.a v1 -> v4"


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [({}, {}, []), ({"a": 1}, {"a": 1}, []), ({"a": 1}, {"a": 2, "b": 3}, ["a", "b"])],
)
def test_changed_keys(old: Any, new: Any, keys: list[str]) -> None:
    assert Dbt()("_changed_keys", old, new) == keys
