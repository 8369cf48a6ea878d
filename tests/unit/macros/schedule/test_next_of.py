"""What info says of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt

AT = micros(0)
TEXT = "2024-03-01 00:00:00Z"


@pytest.mark.parametrize(
    ("schedule", "values", "text"),
    [
        (None, {}, "-"),
        ({"every": 60}, {}, TEXT),
        ({"every": 60}, {"retry_time": AT, "failures": 3}, f"{TEXT} (retry 3)"),
        ({"cron": "* * * * *"}, {"next_time": None}, "dbt-mview due"),
        ({"start_with": "null", "next": None}, {"next_time": None}, "never"),
        ({"target_lag": 60}, {}, f"on change, from {TEXT}"),
        ({"every": 60}, {"failures": 16}, "BROKEN after 16 failures: mview_reset"),
        (None, {"failures": 17}, "BROKEN after 17 failures: mview_reset"),
        ({"every": 60}, {"failures": 16, "paused_time": AT}, f"paused since {TEXT}"),
    ],
)
def test_next(schedule: Any, values: dict[str, Any], text: str) -> None:
    empty = dict.fromkeys(["retry_time", "failures", "paused_time"])
    row = {"schedule": schedule, "next_time": AT, **empty, **values}
    assert Dbt()("_next_of", row) == text
