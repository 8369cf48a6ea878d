"""What mview_info, mview_history, mlog_info and mview_plan print."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Foreign, delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.log_scenes import LOG, change, later, log_model, logged, run_log, started
from ..kit.scenes import SOURCE, VIEW, built, lock

# mview_info.


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


# mview_history.


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


# mlog_info.


HEAD = ["log", "base", "from", "captured", "base now", "rows", "next purge", "why it began"]


def captured(*models: Model) -> Dbt:
    dbt = started()
    change(dbt)
    run_log(dbt)
    change(dbt, 60)
    return later(dbt, *(models or (log_model(),)))


def reader(dbt: Dbt, name: str, *versions: int) -> None:
    """A view that read the base."""
    sources = [{"relation": SOURCE, "version": version} for version in versions]
    dbt.engine.state(f"spark_catalog.shop.{name}", sources=sources or None)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_mlog_info() -> None:
    dbt = captured()
    for name, *versions in [("one", 2), ("two", 4), ("twice", 3, 3), ("new",)]:
        reader(dbt, str(name), *[int(version) for version in versions])
    dbt.engine.state("spark_catalog.shop.other", sources=[{"relation": "a.b.c", "version": 1}])
    head, line, *views = dbt.operation("mlog_info")
    assert cells(head) == HEAD
    assert cells(line) == [
        "shop.orders_log",
        "shop.orders",
        "v2",
        "v5",
        "v8",
        "6",
        "-",
        "first capture",
    ]
    assert [cells(view) for view in views] == [
        ["base", "view", "has read"],
        ["shop.orders", "shop.one", "v2"],
        ["shop.orders", "shop.two", "v4"],
        ["shop.orders", "shop.twice", "v3"],
    ]
    assert dbt.engine.writes == []


def test_two_logs_of_one_base() -> None:
    """A view that reads it stands there once."""
    dbt = captured()
    dbt.engine.logs["spark_catalog.shop.second"] = SOURCE
    dbt.engine.tables["spark_catalog.shop.second"] = dbt.engine.tables[LOG]
    dbt.engine.held["spark_catalog.shop.second"] = dbt.engine.held[LOG]
    reader(dbt, "one", 2)
    lines = dbt.operation("mlog_info")
    assert [cells(line)[0] for line in lines] == [
        "log", "shop.orders_log", "shop.second", "base", "shop.orders"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["orders_log", "shop.orders_log", LOG, "Shop.Orders_LOG"])
def test_one_log(name: str) -> None:
    dbt = captured()
    dbt.engine.logs["spark_catalog.shop.more_orders_log"] = "x"
    assert [cells(line)[0] for line in dbt.operation("mlog_info", log=name)] == [
        "log", "shop.orders_log", "base"
    ]  # fmt: skip


def test_by_the_name_of_its_model() -> None:
    model = log_model(alias="orders_log")
    model.name = "log_of_orders"
    dbt = captured(model, Model("LOG_OF_ORDERS", config={"alias": "orders_log"}))
    assert len(dbt.operation("mlog_info", log="log_of_orders")) == 3


def test_no_such_log() -> None:
    dbt = captured()
    with pytest.raises(DbtError, match="gone: is no materialized view log that state knows"):
        dbt.operation("mlog_info", log="gone")


def test_what_is_gone() -> None:
    dbt = captured()
    dbt.engine.tables[SOURCE] = Foreign()
    assert cells(dbt.operation("mlog_info")[1])[4] == "gone"
    for there in (None, Foreign(), delta(1)):
        dbt = captured()
        reader(dbt, "one", 2)
        dbt.engine.tables[LOG] = there
        if there is None:
            del dbt.engine.tables[LOG]
        lines = [cells(line) for line in dbt.operation("mlog_info")]
        assert lines[1] == ["shop.orders_log", *["-"] * 6, "gone"]
        assert len(lines) == 3


def test_a_project_without_logs() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    assert dbt.operation("mlog_info") == ["mlog_info: state knows no materialized view log"]
    assert dbt.engine.writes == []


def test_dry_run_without_state() -> None:
    dbt = Dbt()
    printed = dbt.operation("mlog_info", dry_run=True)
    assert dbt.engine.writes == []
    assert sum("step=ensure_state" in line for line in printed) == 3


# One line of mlog_info.


def test_line() -> None:
    found = logged(1)("_info_of_log", LOG)
    assert found["base"] == SOURCE
    assert found["line"][:6] == ["shop.orders_log", "shop.orders", "v2", "v5", "v5", 6]


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    assert dbt("_info_of_log", LOG) == {
        "line": ["shop.orders_log", *["-"] * 6, "gone"],
        "base": None,
    }


# mview_plan.


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
    with pytest.raises(DbtError, match=r"is not a time\. Give whole microseconds since the epoch"):
        dbt.operation("mview_plan", times={VIEW: time})
    assert dbt.engine.writes == []


def test_mview_plan_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_plan", times={VIEW: 5}, dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]
