"""mview_history."""

from __future__ import annotations

from ..engine import micros
from ..scenes import VIEW, built

ROW = [VIEW, micros(1), micros(2.5), "complete", "success", 7, "first build", None, "j", "i"]
FAILED = [VIEW, micros(1), micros(1), None, "failed", 0, None, "no\nsuch table", "j", "i"]


def test_history() -> None:
    dbt = built()
    dbt.engine.history = [ROW, FAILED]
    head, good, bad = dbt.operation("mview_history")
    assert head.split() == "view started took method status rows reason failed".split()
    assert good.split() == (
        "shop.totals 2024-03-01 00:01:00Z 90.0 s complete success 7 first build -".split()
    )
    assert "no such table" in bad


def test_rows_of_a_failure() -> None:
    dbt = built()
    dbt.engine.history = [[*FAILED[:5], None, *FAILED[6:]]]
    line = dbt.operation("mview_history")[1]
    assert line.split() == (
        "shop.totals 2024-03-01 00:01:00Z 0.0 s - failed - - no such table".split()
    )


def test_dry_run_and_limit() -> None:
    dbt = built()
    (line,) = dbt.operation("mview_history", view="totals", limit=5, dry_run=True)
    assert f"where mview_id in ('{VIEW}')" in line and line.endswith("limit 5;")
    assert "read_history" not in dbt.engine.steps
