"""What is known of how long COMPLETE takes."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("last", "complete", "first"),
    [
        ([], 5.0, 30.0),
        ([["fast", 1, 9.0]], 5.0, 30.0),
        ([["complete", 0, 4.0], ["first", 0, 20.0]], 4.0, 20.0),
        ([["complete", 0, s] for s in (9, 3, 4, 1, 1)], 4, 30.0),
        ([["complete", 0, s] for s in (3, 4)], 4, 30.0),
    ],
)
def test_complete_took(last: list[Any], complete: Any, first: Any) -> None:
    took = {"last": last, "complete": 5.0, "first": 30.0}
    assert Dbt()("_complete_took", took) == {"complete": complete, "first": first}
    assert Dbt()("_complete_took", None) == {"complete": None, "first": None}
