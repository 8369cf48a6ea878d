"""State for the core: which reader, what is known of sources, clocks, what is written."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve import state as module
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.delta_log import Unreadable
from dbt_mview.serve.events import EventLog
from dbt_mview.serve.members import Database
from dbt_mview.serve.state import NotParsedError, Reader, State
from dbt_mview.serve.times import SECOND
from tests.support.delta import StateTable
from tests.support.fake_dbt import FakeDbt, Plan

HOUR = 3600 * SECOND
ROW = {"schedule": '{"every": 60}', "next_time": 1_800_000_000_000_000}


class Scene:
    """State of a dbt that is no process, and a database of its own."""

    def __init__(self, place: Path, dbt: FakeDbt, reader: Reader = "operation") -> None:
        self.dbt, self.log = dbt, io.StringIO()
        self.database = Database(f"sqlite:///{place / 'serve.db'}", "a", "boot")
        self.database.prepare()
        pool: Any = dbt
        self.state = State(pool, self.database, reader, EventLog(self.log, "a").write)

    def fetch(self, is_whole: bool = True) -> m.Fetched:
        return self.state.fetch(m.Fetch(1, is_whole))

    def poll(self, *names: str) -> list[str]:
        told = self.state.poll(m.PollSources(tuple(map(self.dbt.id, names)))).ids
        return [one.rpartition(".")[2] for one in told]

    def settle(self, **action: Any) -> m.Settled:
        ids = tuple(map(self.dbt.id, self.dbt.plans))
        return self.state.settle(m.Settle("a/boot/1", ids, **action), {}, action.pop("owner", ""))

    def events(self, name: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if line["event"] == name]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path


def plan(**fields: Any) -> Plan:
    return Plan(60, FakeDbt.now() + HOUR, **fields)


def listening(place: Path, **fields: Any) -> tuple[Scene, StateTable]:
    """A view v that listens to a table, of which it has read the first version."""
    orders = StateTable(place / "orders")
    dbt = FakeDbt({"v": plan(sources={"shop.orders": 0}, ended=1, **fields)})
    dbt.locations["shop.orders"] = str(orders.root)
    scene = Scene(place, dbt)
    scene.state.load(is_new=True)
    scene.fetch()
    return scene, orders


# The project


def test_a_project_that_does_not_parse_says_what_dbt_says(place: Path) -> None:
    with pytest.raises(NotParsedError, match="no such macro"):
        Scene(place, FakeDbt({}, parses=False)).state.load(is_new=True)
    with pytest.raises(OSError, match="mview_models failed") as found:
        Scene(place, FakeDbt({}, engine=False)).state.load(is_new=True)
    assert not isinstance(found.value, NotParsedError)


def test_a_parse_that_does_not_end_is_no_failure_of_the_project(place: Path) -> None:
    hangs = FakeDbt({}, parses=False, parse_takes=float("inf"))
    with pytest.raises(TimeoutError, match=r"^dbt parse did not end within 600 s$"):
        Scene(place, hangs).state.load(is_new=True)


def test_the_newest_duration_counts(place: Path) -> None:
    """That which dbt has measured here, until state tells of a later refresh by somebody."""
    scene = Scene(place, FakeDbt({"v": plan()}))
    id_ = scene.dbt.id("v")
    scene.state.load(is_new=True)
    scene.state.settle(m.Settle("r", (id_,)), {id_: 9.0}, "")
    assert scene.state._with_time(m.Row(id_, 1, None)).took == 9.0
    assert scene.state._with_time(m.Row(id_, 1, None, took=2.0)).took == 2.0
    scene.state.load(is_new=False)
    assert scene.state._with_time(m.Row(id_, 1, None)).took == 0.5


# Readers


def test_the_log_is_read_where_it_can_be(place: Path) -> None:
    table = StateTable(place / "views")
    dbt = FakeDbt({"v": plan()}, locations={"views": str(table.root)})
    scene = Scene(place, dbt, "auto")
    table.put({dbt.id("v"): ROW})
    scene.state.load(is_new=True)
    assert [event["reader"] for event in scene.events("reader")] == ["log"]
    (row,) = scene.fetch().rows
    assert row.took == 0.5 and not dbt.names("mview_due")
    assert not scene.state.is_changed()
    table.put({dbt.id("v"): None})
    assert scene.state.is_changed()
    assert scene.fetch(is_whole=False).gone == (dbt.id("v"),)
    assert scene.state.rows == {}


def test_a_log_that_cannot_be_read_gives_way_to_the_operation(place: Path) -> None:
    dbt = FakeDbt({"v": plan()}, locations={"views": str(place / "nowhere")})
    scene = Scene(place, dbt, "auto")
    scene.state.load(is_new=True)
    (event,) = scene.events("reader")
    assert event["reader"] == "operation" and "state cannot be read" in event["problem"]
    assert [row.id for row in scene.fetch().rows] == [dbt.id("v")]
    with pytest.raises(Unreadable, match="state cannot be read"):
        Scene(place, dbt, "log").state.load(is_new=True)


def test_so_does_one_that_is_gone_later_and_comes_back(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = StateTable(place / "views")
    dbt = FakeDbt({"v": plan()}, locations={"views": str(table.root)})
    table.put({dbt.id("v"): ROW})
    scene = Scene(place, dbt, "auto")
    scene.state.load(is_new=True)
    monkeypatch.setattr(module, "LOG_AGAIN", 0)
    (place / "views").rename(place / "away")
    for _ in range(2):
        with pytest.raises(Unreadable):
            scene.fetch()
    assert scene.fetch().is_whole and dbt.names("mview_due") == 1
    scene.fetch()
    assert [event["reader"] for event in scene.events("reader")] == ["log", "operation"]
    (place / "away").rename(place / "views")
    found = scene.fetch(is_whole=False)
    assert found.is_whole and found.rows[0].next_time != dbt.plans["v"].next_time
    assert [event["reader"] for event in scene.events("reader")][2:] == ["log"]


# Sources


def test_a_change_is_told_until_a_refresh_begins(place: Path) -> None:
    scene, orders = listening(place)
    assert scene.poll("v") == []
    orders.put({"a": ROW})
    assert scene.poll("v") == ["v"] == scene.poll("v")
    assert scene.poll() == [], "another node owns it for a while"
    assert scene.poll("v") == ["v"]
    scene.state.began([scene.dbt.id("v")])
    assert scene.poll("v") == []
    scene.state.missed([scene.dbt.id("v")])
    assert scene.poll("v") == ["v"]


def test_a_view_that_reads_nothing_asks_for_nothing(place: Path) -> None:
    scene = Scene(place, FakeDbt({"v": plan(sources={}, ended=1)}))
    scene.state.load(is_new=True)
    scene.fetch()
    assert scene.poll("v") == []
    assert ("mview_due", {"format": "json"}) not in scene.dbt.operations
    assert not scene.state.is_outdated


def test_of_storage_that_is_closed_the_engine_is_asked(place: Path) -> None:
    scene = Scene(place, FakeDbt({"v": plan(sources={"shop.orders": 0}, ended=1)}))
    scene.state.load(is_new=True)
    scene.fetch()
    assert scene.poll("v") == []
    scene.dbt.due = [scene.dbt.id("v"), "another"]
    assert scene.poll("v") == ["v"]
    scene.state.began([scene.dbt.id("v")])
    scene.dbt.engine = False
    assert scene.poll("v") == []
    assert "failed" in scene.events("sources")[0]["problem"]


def test_a_view_of_which_nothing_is_known_has_the_project_loaded_once(place: Path) -> None:
    """It was built after the project was loaded."""
    dbt = FakeDbt({"v": plan(is_built=False)})
    scene = Scene(place, dbt)
    scene.state.load(is_new=True)
    dbt.plans["v"] = plan(sources={"shop.orders": 1}, ended=1)
    scene.fetch()
    assert scene.poll("v") == [] and scene.state.is_outdated
    dbt.models = []  # it stays unknown
    scene.state.load(is_new=False)
    assert not scene.state.is_outdated
    assert scene.poll("v") == [] and not scene.state.is_outdated
    dbt.plans["v"].version += 1
    scene.fetch()
    assert scene.poll("v") == [] and scene.state.is_outdated
    dbt.models = ["v"]
    scene.state.load(is_new=False)
    scene.poll("v")
    assert not scene.state.is_outdated
    assert ("mview_due", {"format": "json"}) in dbt.operations, "it is known, and closed"


def test_the_first_refresh_by_changed_files_has_its_sources_read_again(place: Path) -> None:
    """It may read others; what they are, state says only after that."""
    scene, _ = listening(place)
    view = scene.dbt.plans["v"]

    def refresh() -> None:
        scene.state.began([scene.dbt.id("v")])
        end()

    def end() -> None:
        view.ended = scene.dbt.now() + SECOND
        scene.settle()

    lines = StateTable(place / "lines")
    scene.dbt.locations["shop.lines"] = str(lines.root)
    view.sources = {"shop.lines": 0}
    assert not scene.state.is_outdated
    refresh()
    assert scene.state.is_outdated
    scene.state.load(is_new=False)
    assert not scene.state.is_outdated
    lines.put({"a": ROW})
    assert scene.poll("v") == ["v"]
    refresh()
    assert not scene.state.is_outdated, "the files are as they were"
    view.ended = 1
    scene.state.began([scene.dbt.id("v")])
    scene.state.load(is_new=True)
    end()
    assert not scene.state.is_outdated, "it had begun before"
    view.ended += SECOND
    scene.fetch()
    assert scene.state.is_outdated, "whoever refreshes it"


# The engine's clock


def test_a_clock_that_is_old_is_asked_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(place, FakeDbt({"v": plan()}))
    assert not scene.state.needs_look(), "there is no project yet"
    scene.state.load(is_new=True)
    assert not scene.state.needs_look()
    monkeypatch.setattr(module, "CLOCK_AGE", 0)
    assert scene.state.needs_look()
    scene.dbt.skew = HOUR
    scene.state.look()
    assert not scene.state.needs_look(), "once a minute at most"
    monkeypatch.setattr(module, "LOOK_AGAIN", 0)
    scene.state.look()
    assert scene.state.needs_look()
    clock = scene.fetch().clock
    assert clock is not None
    ahead = clock.engine - clock.at - (time.time_ns() // 1000 - monotonic())
    assert abs(ahead - HOUR) < 5 * SECOND


def test_so_is_one_where_this_machine_s_own_was_set(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or where it has slept, and the monotonic clock with it."""
    scene = Scene(place, FakeDbt({"v": plan()}))
    scene.state.load(is_new=True)
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 2_000_000_000)
    assert scene.state.needs_look()
    scene.state.look()
    monkeypatch.setattr(module, "LOOK_AGAIN", 0)
    assert scene.state.look() is None and not scene.state.needs_look()


def test_a_session_s_clock_is_this_machine_s(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started to ask for it: it alone could use its metastore."""
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setattr(module, "CLOCK_AGE", 0)
    dbt = FakeDbt({"v": plan()}, method="session")
    dbt.locations["views"] = str(StateTable(place / "views").root)
    scene = Scene(place, dbt, "log")
    scene.state.load(is_new=True)
    assert not scene.state.needs_look()
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 3600 * 10**9)
    clock = scene.fetch().clock
    assert clock is not None and abs(clock.engine - time.time_ns() // 1000) < SECOND


def test_the_first_log_is_looked_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setattr(module, "LOOK_AGAIN", 0)
    views = StateTable(place / "views")
    dbt = FakeDbt({"log": plan(kind="log", is_built=False)}, method="session")
    dbt.locations["views"] = str(views.root)
    scene = Scene(place, dbt, "auto")
    scene.state.load(is_new=True)
    assert scene.state.needs_look()
    dbt.processes = 0
    assert not scene.state.needs_look(), "nothing is started for it"
    dbt.processes = 1
    scene.state.look()
    assert not scene.state.is_outdated
    logs = StateTable(place / "logs", "mlog_id")
    logs.put({dbt.id("log"): ROW})
    dbt.locations["logs"] = str(logs.root)
    dbt.plans["log"].is_built = True
    scene.state.look()
    assert scene.state.is_outdated
    scene.state.load(is_new=False)
    assert not scene.state.needs_look()
    assert [row.id for row in scene.fetch().rows] == [dbt.id("log")]


# What is written


def test_a_run_that_never_began_holds_nothing(place: Path) -> None:
    scene = Scene(place, FakeDbt({"v": plan()}))
    assert scene.settle(is_recovery=True).rows
    assert not scene.dbt.names("mview_recover")


def test_whose_locks_an_orphan_has_the_database_says(place: Path) -> None:
    scene = Scene(place, FakeDbt({"v": plan(owner="dbt-1")}))
    id_ = scene.dbt.id("v")
    scene.database.begin_run("b/x/1", "view", (id_,), 1)
    scene.database.name_run("b/x/1", "dbt-1")
    settled = scene.state.settle(m.Settle("b/x/1", (id_,), True, "holders", "died"), {}, None)
    assert settled.rows and settled.clock
    args = {"owner": "dbt-1", "reason": "died", "charge": True}
    assert ("mview_recover", args) in scene.dbt.operations
    assert settled.rows[0].failures == 1


def test_what_state_cannot_be_told_is_kept(place: Path) -> None:
    """With the failure that it is to be told, for whoever settles it in the end."""
    scene = Scene(place, FakeDbt({"v": plan()}))
    scene.dbt.engine = False
    settled = scene.settle(charge="all", reason="its process died")
    assert settled.rows is None and scene.events("not_settled")
    other = Database(f"sqlite:///{place / 'serve.db'}", "b", "x")
    (kept,) = other.find_runs(m.FindRuns("a")).runs
    assert (kept.charge, kept.reason) == ("all", "its process died")
    other.close()
    scene.dbt.engine = True
    assert scene.settle(charge="all", reason="its process died").rows
    assert scene.dbt.plans["v"].reason == "its process died"


def test_of_all_those_that_are_named_are_charged(place: Path) -> None:
    """Also by who finds it in the outbox."""
    scene = Scene(place, FakeDbt({"v": plan(), "w": plan()}))
    scene.dbt.engine = False
    named = (scene.dbt.id("w"),)
    scene.settle(charge="all", reason="cancelled by request", charged=named)
    other = Database(f"sqlite:///{place / 'serve.db'}", "b", "x")
    (kept,) = other.find_runs(m.FindRuns("a")).runs
    assert kept.units == named
    other.close()
    scene.dbt.engine = True
    scene.settle(charge="all", reason="cancelled by request", charged=named)
    assert [scene.dbt.plans[name].reason for name in "vw"] == [None, "cancelled by request"]


def test_what_cannot_be_planned_is_answered_all_the_same(place: Path) -> None:
    scene = Scene(place, FakeDbt({}, engine=False))
    assert scene.state.plan(m.Plan({"v": 1}, {"v": None})) == m.Planned(("v",))
    assert scene.events("not_planned")


@pytest.mark.parametrize(
    ("kind", "name", "args"),
    [
        ("view", "v", {"view": "v"}),
        ("log", "w", {"log": "w"}),
        ("view", "all", {"view": "all", "log": "all"}),
    ],
)
def test_holds(place: Path, kind: m.Kind, name: str, args: dict[str, str]) -> None:
    scene = Scene(place, FakeDbt({}))
    for verb in ("pause", "resume", "reset"):
        scene.state.hold(verb, kind, name)
        assert scene.dbt.operations[-1] == (f"mview_{verb}", args)


def test_problems_are_those_of_the_last_failure(place: Path) -> None:
    scene = Scene(place, FakeDbt({"v": plan(failures=1, reason="no\nmore"), "w": plan()}))
    scene.state.load(is_new=True)
    scene.fetch()
    assert scene.state.problems() == {scene.dbt.id("v"): "no"}
    assert scene.state.details()[scene.dbt.id("w")].kind == "view"
