"""mview_plan."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import DbtError
from ...kit.scenes import VIEW, built


def test_plan() -> None:
    dbt = built()
    dbt.engine.on["schedule"] = lambda *_: None
    dbt.operation("mview_plan", times={VIEW: 5})
    assert f"when '{VIEW}' then timestamp_micros(5)" in dbt.engine.sql("schedule")


def test_a_plan_that_has_been_moved_since_is_left_alone() -> None:
    """The moment from which it counts is the one that was read, or there is none."""
    dbt = built()
    dbt.engine.on["schedule"] = lambda *_: None
    dbt.operation("mview_plan", times={VIEW: 5, "c.s.x": 6}, after={VIEW: 4, "c.s.x": None})
    sql = dbt.engine.sql("schedule")
    condition = "and cast(get_json_object(schedule, '$.after') as bigint) <=> case mview_id"
    known = f"when '{VIEW}' then cast(4 as bigint) when 'c.s.x' then cast(null as bigint) end"
    assert f"{condition} {known}" in " ".join(sql.split())


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
