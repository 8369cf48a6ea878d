"""What mview_pause, mview_resume and mview_reset are told, and what they say."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import LOG, started
from ...kit.scenes import VIEW, built

OTHER = "spark_catalog.shop.other"


def held(dbt: Dbt, how: str, **args: Any) -> list[str]:
    """The statements of an operation, each on one line."""
    dbt.engine.on["schedule"] = lambda *_: None
    dbt.operation(f"mview_{how}", **args)
    return [" ".join(one.sql.split()) for one in dbt.engine.log if one.step == "schedule"]


def test_all_views_and_all_logs() -> None:
    dbt = started()
    dbt.engine.state(VIEW)
    views, logs = held(dbt, "pause", view="all", log="all")
    assert "`mview_refresh_info` set paused_time" in views and f"in ('{VIEW}')" in views
    assert "`mlog_purge_info` set paused_time" in logs and f"in ('{LOG}')" in logs


def test_one_log() -> None:
    (sql,) = held(started(), "reset", log="orders_log")
    assert f"where mlog_id in ('{LOG}')" in sql


def test_a_member_stands_for_its_group() -> None:
    dbt = built()
    for id_, group in ((VIEW, "sales"), (OTHER, "sales"), ("spark_catalog.shop.third", "x")):
        row = dict.fromkeys(dbt.engine.states[VIEW])
        dbt.engine.states[id_] = {**row, "mview_id": id_, "spec": {"refresh_group": group}}
    (sql,) = held(dbt, "pause", view="totals")
    assert f"in ('{VIEW}', '{OTHER}')" in sql


def test_what_is_due_next_is_printed() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["paused_time"] = micros(5)
    dbt.engine.on["schedule"] = lambda *_: None
    printed = dbt.operation("mview_pause", view="totals")
    assert any("shop.totals" in line and "paused since 2024-03-01" in line for line in printed)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({}, "mview_pause: neither a view nor a log is given"),
        ({"view": "none"}, "none: is no materialized view"),
        ({"log": "none"}, "none: is no materialized view log that state knows"),
    ],
)
def test_refused(args: dict[str, str], says: str) -> None:
    dbt = built()
    with pytest.raises(DbtError, match=says):
        dbt.operation("mview_pause", **args)
    assert dbt.engine.writes == []


def test_a_view_that_was_never_built_has_no_plan_to_hold() -> None:
    dbt = built()
    dbt.engine.states.clear()
    with pytest.raises(DbtError, match=r"totals: state has no row of it.*dbt run"):
        dbt.operation("mview_pause", view="totals")
