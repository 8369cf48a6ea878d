"""Which commit it was, by times that are not told exactly."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


def at(version: int | None, time: int | None) -> dict[str, Any]:
    return {"version": version, "commit_time": time}


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (at(1, 5), at(1, 5), True),
        (at(1, 5), at(1, 10005), True),
        (at(1, 10005), at(1, 5), True),
        (at(1, 5), at(1, 10006), False),
        (at(1, 5), at(2, 5), False),
        (at(None, None), at(2, 5), False),
    ],
)
def test_same(a: Any, b: Any, same: bool) -> None:
    assert Dbt()("_same_commit", a, b) is same


@pytest.mark.parametrize(
    ("a", "b", "before"),
    [
        (at(1, 5), at(1, 5), False),
        (at(1, 5), at(2, 5), True),
        (at(2, 5), at(1, 5), False),
        (at(1, 5), at(1, 10005), False),
        (at(1, 5), at(1, 10006), True),
        (at(3, 5), at(1, 10006), True),
    ],
)
def test_before(a: Any, b: Any, before: bool) -> None:
    assert Dbt()("_came_before", a, b) is before
