"""mview_plan."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import DbtError
from ..scenes import VIEW, built


def test_plan() -> None:
    dbt = built()
    dbt.engine.on["schedule"] = lambda *_: None
    dbt.operation("mview_plan", times={VIEW: 5})
    assert f"when '{VIEW}' then timestamp_micros(5)" in dbt.engine.sql("schedule")


def test_nothing_to_plan() -> None:
    dbt = built()
    dbt.operation("mview_plan", times={})
    assert dbt.engine.writes == []


@pytest.mark.parametrize("time", ["5", 5.5, "5) or true"])
def test_a_time_is_a_whole_number(time: Any) -> None:
    dbt = built()
    with pytest.raises(DbtError, match=r"is no time\. Give microseconds since the epoch"):
        dbt.operation("mview_plan", times={VIEW: time})
    assert dbt.engine.writes == []


def test_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_plan", times={VIEW: 5}, dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]
