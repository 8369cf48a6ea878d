"""mview_info."""

from __future__ import annotations

from ...kit.engine import micros
from ...kit.scenes import VIEW, built, lock


def test_info() -> None:
    dbt = built()
    dbt.engine.state(
        "spark_catalog.shop.broken", last_refresh_failed_reason="no\nsuch " + "x" * 300
    )
    head, totals, broken = dbt.operation("mview_info")
    assert (
        head.split()
        == "view result type refreshed as of version group sources next lock failed".split()
    )
    assert totals.split("  ")[0] == "shop.totals"
    assert "success  complete  2024-03-01 12:00:00Z  2024-03-01 12:00:00Z  v0" in totals
    assert "shop.orders v2" in totals
    assert broken.split()[:3] == ["shop.broken", "-", "-"] and "no such xxx" in broken
    assert len(broken.split("no such")[1]) < 200


def test_one_view_and_its_lock() -> None:
    dbt = built()
    lock(dbt, lock_owner="run-x", last_refresh_time=micros(1))
    dbt.engine.state("spark_catalog.shop.other")
    lines = dbt.operation("mview_info", view="totals")
    assert len(lines) == 2 and "run-x" in lines[1] and "2024-03-01 00:01:00Z" in lines[1]


def test_dry_run() -> None:
    dbt = built()
    (line,) = dbt.operation("mview_info", view="totals", dry_run=True)
    assert line.strip().endswith(f"where mview_id in ('{VIEW}');")
    assert "read_state" not in dbt.engine.steps
