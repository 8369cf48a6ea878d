"""mview_reset."""

from __future__ import annotations

from ...kit.scenes import VIEW, built
from .test_hold_plans import held


def test_reset() -> None:
    (sql,) = held(built(), "reset", view="totals")
    assert f"set failures = null, retry_time = null where mview_id in ('{VIEW}')" in sql


def test_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_reset", view="totals", dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]
