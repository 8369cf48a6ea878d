"""mview_pause."""

from __future__ import annotations

from ...kit.scenes import VIEW, built
from .test_hold_plans import held


def test_pause() -> None:
    (sql,) = held(built(), "pause", view="totals")
    assert f"set paused_time = current_timestamp() where mview_id in ('{VIEW}')" in sql


def test_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_pause", view="totals", dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]
