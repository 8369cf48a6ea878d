"""How many changed places are joined with each other."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("emptied", "count"),
    [
        (None, 1),
        ({"a": []}, 1),
        ({"a": [], "b": []}, 2),
        ({"a": ["b"], "b": ["a"]}, 1),
        ({"a": [], "b": [], "c": []}, 3),
        ({"a": ["b", "c"], "b": ["a", "c"], "c": ["a", "b"]}, 1),
        ({"a": ["c"], "b": ["c"], "c": ["a", "b"]}, 2),
    ],
)
def test_count(emptied: Any, count: int) -> None:
    shape = {} if emptied is None else {"emptied": emptied}
    assert Dbt()("_joined_changes", shape) == count
