"""mview_history."""

from __future__ import annotations

import pytest

from ...kit.engine import micros
from ...kit.harness import DbtError
from ...kit.scenes import VIEW, built

ROW = [VIEW, micros(1), micros(2.5), "complete", "success", 7, "first build", None, "j", "i", None]
FAILED = [VIEW, micros(1), micros(1), None, "failed", 0, None, "no\nsuch table", "j", "i", None]


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


OTHER = "spark_catalog.shop.sums"


def member(view: str, start: float, end: float, status: str = "success") -> list[object]:
    """A row of a refresh group."""
    failed = "disk full" if status == "failed" else None
    reason = "orders v1 -> v2"
    times = [micros(start), micros(end)]
    return [view, *times, "fast", status, 2, reason, failed, "j", "i", "sales"]


def test_a_group_is_one_refresh() -> None:
    dbt = built()
    dbt.engine.history = [member(VIEW, 2, 5), ROW, member(OTHER, 1, 4)]
    _, together, alone = dbt.operation("mview_history")
    assert together.split("  ")[0] == "group sales: sums, totals"
    assert "2024-03-01 00:01:00Z" in together and "240.0 s" in together
    assert together.split()[-8:] == "fast success 4 orders v1 -> v2 -".split()
    assert alone.startswith("shop.totals ")


def test_a_group_of_which_one_failed() -> None:
    dbt = built()
    dbt.engine.history = [member(VIEW, 1, 2), member(OTHER, 1, 2, "failed")]
    (line,) = dbt.operation("mview_history")[1:]
    assert " failed " in line and line.endswith("disk full")


def test_a_member_alone_is_shown_as_a_view() -> None:
    dbt = built()
    dbt.engine.history = [member(VIEW, 1, 2)]
    assert dbt.operation("mview_history", view="totals")[1].startswith("shop.totals ")


@pytest.mark.parametrize("limit", ["abc", 0, -1, 1.5])
def test_no_limit(limit: object) -> None:
    with pytest.raises(DbtError, match=r"limit is .*Give a whole number above 0"):
        built().operation("mview_history", limit=limit)
