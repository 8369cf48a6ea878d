"""The middle of some numbers."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("numbers", "median"),
    [([], None), ([0.0], 0), ([3, 1], 3), ([10, 9, 2], 9), ([1, 9, 5, 1], 5)],
)
def test_median(numbers: list[float], median: Any) -> None:
    assert Dbt()("_median", numbers) == median
