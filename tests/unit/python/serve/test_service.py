"""A node: the loop, its threads and the database, with a dbt that is no process."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.config import Window
from dbt_mview.serve.events import EventLog
from dbt_mview.serve.members import Database, DatabaseGone
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.project import Watch
from dbt_mview.serve.report import ViewLine
from dbt_mview.serve.service import Options, Service
from dbt_mview.serve.state import State
from dbt_mview.serve.times import Hold
from tests.support.fake_dbt import FakeDbt, Plan

WITHIN = 20.0
DAY = 86_400.0


class Node:
    """A node of which each part but dbt is real, on a thread."""

    def __init__(self, home: Path, dbt: FakeDbt, **options: Any) -> None:
        self.home, self.dbt = home, dbt
        self.project = home / "project"
        self.project.mkdir(exist_ok=True)
        (self.project / "dbt_project.yml").write_text("name: shop\n")
        self.log = io.StringIO()
        name = options.pop("node", "a")
        self.options = Options(name, options.pop("boot", "boot"), **options)
        self.database = Database(f"sqlite:///{home / 'serve.db'}", name, self.options.boot)
        log = EventLog(self.log, name)
        pool: Any = dbt
        state = State(pool, self.database, "operation", log.write)
        watch = Watch(self.project, None, quiet=0.2)
        self.service = Service(self.options, self.database, pool, state, watch, log, Metrics())
        dbt.on_invocation = self.service.name_run
        self.error: Exception | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self.service.run()
        except Exception as error:
            self.error = error

    def start(self) -> Node:
        self.thread.start()
        return self

    def stop(self) -> None:
        self.service.stop()
        self.thread.join(WITHIN)
        assert not self.thread.is_alive()

    def line(self, name: str) -> ViewLine:
        return next(one for one in self.service.report().views if one.id == self.dbt.id(name))

    def until(self, what: Callable[[], Any]) -> Any:
        """Waits until something is true."""
        end = time.monotonic() + WITHIN
        while not (found := what()):
            assert time.monotonic() < end, self.log.getvalue()
            time.sleep(0.02)
        return found

    def events(self, name: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if line["event"] == name]

    def asks(self, verb: str, subject: str) -> tuple[bool, str]:
        return self.service.request(verb, subject, "a test")


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Callable[..., Node]]:
    """Makes nodes, and stops them."""
    made: list[Node] = []

    def make(dbt: FakeDbt, **options: Any) -> Node:
        made.append(Node(tmp_path, dbt, **options))
        return made[-1].start()

    yield make
    for one in made:
        one.stop()
        one.database.close()


def due(*names: str, every: float = DAY, **fields: Any) -> FakeDbt:
    """Views that are due now."""
    plans = {name: Plan(every, FakeDbt.now() - 1_000_000) for name in names}
    return FakeDbt(plans, **fields)


def test_what_is_due_is_refreshed_once(node: Callable[..., Node]) -> None:
    dbt = due("daily", "hourly")
    one = node(dbt)
    one.until(lambda: all(plan.ended for plan in dbt.plans.values()))
    one.until(lambda: len(one.events("ended")) == len(one.events("started")) > 0)
    assert sorted(name for command in dbt.commands for name in command[2:]) == [
        "shop.daily",
        "shop.hourly",
    ]
    line = one.line("daily")
    assert (line.condition, line.node, line.failures) == ("idle", "a", 0)
    one.until(lambda: all(run.ended for run in one.database.runs()))
    outcomes = [run.outcomes for run in one.database.runs()]
    assert {id_: what for each in outcomes for id_, what in each.items()} == {
        dbt.id("daily"): "success",
        dbt.id("hourly"): "success",
    }
    assert one.service.is_ready() == (True, "ok")


def test_a_failure_is_told(node: Callable[..., Node]) -> None:
    dbt = due("daily", fails={"daily"})
    one = node(dbt)
    one.until(lambda: one.events("ended"))
    line = one.until(lambda: one.line("daily") if one.line("daily").failures else None)
    assert (line.failures, line.problem) == (1, "division by zero")
    assert one.events("ended")[0]["outcomes"] == {dbt.id("daily"): "failed"}


def test_commands(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[0])
    one.until(lambda: one.line("daily").condition == "idle")
    assert one.asks("cancel", dbt.id("daily")) == (False, "it does not run on this node")
    assert one.asks("run", dbt.id("daily")) == (True, "queued")
    one.until(lambda: dbt.plans["daily"].ended)
    assert one.asks("pause", dbt.id("daily")) == (True, "paused")
    one.until(lambda: one.line("daily").condition == "paused")
    assert one.asks("run", dbt.id("daily")) == (False, "it is paused")
    assert one.asks("resume", dbt.id("daily")) == (True, "resumed")
    assert one.asks("reset", "gone")[0] is False
    assert [name for name, _ in dbt.operations if name.startswith("mview_p")] == ["mview_pause"]


def test_a_name_of_a_model_will_do(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[0])
    one.until(lambda: one.line("daily").condition == "idle")
    assert one.asks("run", "daily") == (True, "queued")
    one.until(lambda: dbt.plans["daily"].ended)


def test_cancel(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt)
    one.until(lambda: one.line("slow").condition == "running" if one.events("started") else False)
    assert one.asks("cancel", dbt.id("slow")) == (True, "cancelled")
    one.until(lambda: one.events("ended"))
    assert one.events("ended")[0]["how"] == "cancelled"
    assert dbt.plans["slow"].failures == 1
    assert dbt.plans["slow"].reason == "cancelled by request"
    recovered = [args for name, args in dbt.operations if name == "mview_recover"]
    assert recovered[0]["owner"].startswith("dbt-a/boot/")
    assert recovered[0]["charge"] is True


def test_a_run_that_the_database_was_not_told_of_is_recovered(
    node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise DatabaseGone("connection refused")

    for write in ("begin_run", "name_run"):
        monkeypatch.setattr(Database, write, gone)
    dbt = due("slow", seconds=60)
    one = node(dbt, given={"timeout": "1s"})
    one.until(lambda: dbt.plans["slow"].reason == "timeout")
    assert dbt.plans["slow"].owner is None


def test_a_run_over_its_timeout_is_cancelled(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt, given={"timeout": "1s"})
    one.until(lambda: dbt.plans["slow"].reason == "timeout")


def test_stopping_lets_runs_end(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=1)
    one = node(dbt)
    one.until(lambda: one.events("started"))
    one.stop()
    assert dbt.plans["slow"].ended
    assert not one.database.nodes()
    assert [run.how for run in one.database.runs()] == ["done"]


def test_stopping_twice_cancels_and_charges_nobody(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt)
    one.until(lambda: one.events("started") and dbt.plans["slow"].owner)
    one.service.stop()
    one.stop()
    assert dbt.plans["slow"].owner is None
    assert dbt.plans["slow"].failures == 0


def test_a_project_that_does_not_parse_is_held(node: Callable[..., Node]) -> None:
    dbt = due("daily", parses=False)
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[1].startswith("project:"))
    assert "no such macro" in one.service.is_ready()[1]
    assert not dbt.plans["daily"].ended
    dbt.parses = True
    (one.project / "model.sql").write_text("select 1")
    one.until(lambda: dbt.plans["daily"].ended)


def test_a_changed_project_is_loaded_again(node: Callable[..., Node]) -> None:
    dbt = due("daily", "later", models=["daily"])
    one = node(dbt)
    one.until(lambda: dbt.plans["daily"].ended)
    assert one.line("later").model is None
    dbt.models = ["daily", "later"]
    (one.project / "later.sql").write_text("select 1")
    one.until(lambda: dbt.plans["later"].ended)


def test_an_engine_that_is_gone_charges_nobody(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 500_000)})
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[0])
    dbt.engine = False
    one.until(lambda: ("run", "--select", "shop.daily") in dbt.commands)
    one.until(lambda: one.events("breaker"))
    dbt.engine = True
    one.until(lambda: dbt.plans["daily"].ended)
    assert dbt.plans["daily"].failures == 0


def test_an_engine_that_is_gone_at_the_start_is_waited_for(node: Callable[..., Node]) -> None:
    dbt = due("daily", engine=False)
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[1].startswith("engine:"))
    dbt.engine = True
    one.until(lambda: dbt.plans["daily"].ended)


def test_settings_are_live(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[0])
    assert one.service.report().settings["timeout"] == "59m"
    one.database.set("workers", "4")
    one.until(lambda: one.service.report().settings["workers"] == "4")
    assert dbt.size == 4
    one.database.set("timeout", "2h")
    one.until(lambda: [one for one in one.events("settings") if "above the lease" in str(one)])
    assert one.service.report().settings["workers"] == "4"


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ({"method": "session"}, {"given": {"workers": 2}}, "a session target runs Spark in dbt's"),
        ({}, {"given": {"timeout": "2h"}}, "timeout is 2h, above the lease of the locks, 3600s"),
        (
            {},
            {"windows": [Window(Hold("0 3 * * *", "UTC", 3_600_000_000), ("weekly",))]},
            "holds: 'weekly' is no view or log of this project",
        ),
    ],
)
def test_what_does_not_fit_the_project(
    node: Callable[..., Node], fields: Any, options: Any, message: str
) -> None:
    one = node(due("daily", **fields), **options)
    one.until(lambda: message in one.service.is_ready()[1])


def test_what_a_dead_process_of_this_node_left_is_recovered(
    tmp_path: Path, node: Callable[..., Node]
) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    dead = Database(f"sqlite:///{tmp_path / 'serve.db'}", "a", "before")
    dead.prepare()
    dead.begin_run("a/before/1", "view", (dbt.id("daily"),), dbt.now())
    dead.name_run("a/before/1", "dbt-dead")
    dead.close()
    dbt.plans["daily"].owner = "dbt-dead"
    one = node(dbt)
    one.until(lambda: dbt.plans["daily"].owner is None)
    assert dbt.plans["daily"].failures == 0
    one.until(lambda: all(run.ended for run in one.database.runs()))


def test_another_project_is_refused(tmp_path: Path, node: Callable[..., Node]) -> None:
    other = Database(f"sqlite:///{tmp_path / 'serve.db'}", "b", "x", service="other, target dev")
    other.prepare()
    other.close()
    one = node(due("daily"))
    one.until(lambda: not one.thread.is_alive())
    assert "the database is of the service 'other, target dev'" in str(one.error)


def test_a_run_has_no_text_of_a_request(node: Callable[..., Node]) -> None:
    """Ids are looked up; what is none of the project reaches no command."""
    dbt = due("daily")
    one = node(dbt)
    one.until(lambda: dbt.plans["daily"].ended)
    is_done, text = one.asks("run", "daily; rm -rf / --vars {}")
    assert not is_done
    assert "no view or log of this project" in text
    assert all("rm" not in word for command in dbt.commands for word in command)


def test_memory_above_its_threshold_starts_nothing(node: Callable[..., Node]) -> None:
    dbt = due("daily")
    one = node(dbt, memory=1)
    one.until(lambda: one.service.report().health == "memory")
    assert not dbt.plans["daily"].ended


def test_messages_are_those_of_the_core() -> None:
    """What a bug in a port is answered with, so that the core never waits for ever."""
    service = Service.__new__(Service)
    assert service._failed(m.Fetch(3, is_whole=True)) == m.FetchFailed(3)
    assert service._failed(m.Settle("r", ())) == m.Settled("r", None)
    assert service._failed(m.Plan({"a": 1}, {})) == m.Planned(("a",))
    assert service._failed(None) == m.Probed(is_good=False)
