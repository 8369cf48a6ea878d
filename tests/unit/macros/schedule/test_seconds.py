"""Durations."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (90, 90), ("90", 90), ("1 second", 1), ("10 minutes", 600), ("2 HOURS", 7200),
        ("1 day 12 hours", 129600), ("INTERVAL 1 WEEK", 604800), ("5minutes", 300),
    ],
)  # fmt: skip
def test_durations(value: Any, seconds: int) -> None:
    dbt = Dbt()
    assert dbt("_seconds", "v", "every", value) == seconds
    assert dbt.warned == []


@pytest.mark.parametrize("value", [0, -1, "0 seconds", "-2 hours"])
def test_nothing_runs_without_end(value: Any) -> None:
    dbt = Dbt()
    assert dbt("_seconds", "v", "every", value) == 1
    assert dbt.warned == [f"dbt_mview: v: every is '{value}', taken as 1 second"]


@pytest.mark.parametrize("value", ["", "often", "1.5 hours", "1 month", "hour", "1 hour ago", True])
def test_no_durations(value: Any) -> None:
    with pytest.raises(DbtError, match=r"v: every is '.*'\. Give a duration such as '10 minutes'"):
        Dbt()("_seconds", "v", "every", value)
