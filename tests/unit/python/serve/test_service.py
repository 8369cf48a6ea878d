"""A node: the loop, its threads and the database, with a dbt that is no process."""

from __future__ import annotations

import io
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.transport.file import FileConfig, FileTransport
from starlette.testclient import TestClient

from dbt_mview.serve import breaker, fetches, heartbeat, service, state
from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.config import Window
from dbt_mview.serve.events import EventLog, Lineage
from dbt_mview.serve.loop import LANES, failed
from dbt_mview.serve.members import Database, DatabaseGone
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.options import Options, Pace
from dbt_mview.serve.project import Watch
from dbt_mview.serve.report import ViewLine
from dbt_mview.serve.ring import STALL
from dbt_mview.serve.service import Service
from dbt_mview.serve.state import State
from dbt_mview.serve.times import SECOND, Hold, utc
from dbt_mview.serve.web import make_app
from tests.support.delta import StateTable
from tests.support.fake_dbt import FakeDbt, Plan

WITHIN = 90.0
ODD_SOURCE = "facts of 2026"
DAY = 86_400.0
PACE = Pace(beat=0.05, tick=0.01, answer=0.01, again=0.05, reload=0.1)


@pytest.fixture(autouse=True)
def the_core_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaker, "PROBE_FIRST", 50_000)
    monkeypatch.setattr(fetches, "FETCH_AGAIN", 20_000)


class Node:
    """A node of which each part but dbt is real, on a thread."""

    def __init__(self, home: Path, dbt: FakeDbt, **options: Any) -> None:
        self.home, self.dbt = home, dbt
        self.project = home / "project"
        self.project.mkdir(exist_ok=True)
        (self.project / "dbt_project.yml").write_text("name: shop\n")
        self.log = io.StringIO()
        name, boot = options.pop("node", "a"), options.pop("boot", "boot")
        self.database = Database(f"sqlite:///{home / 'serve.db'}", name, boot)
        log = EventLog(self.log, name)
        pool: Any = dbt
        reader = options.pop("reader", "operation")
        lineage = options.pop("lineage", None)
        read = State(pool, self.database, reader, log.write)
        self.options = Options(name, boot, **{"pace": PACE, **options})
        watch = Watch(self.project, None, quiet=0.02)
        metrics = Metrics()
        self.service = Service(
            self.options, self.database, pool, read, watch, log, metrics, lineage
        )
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
        self.dbt.gate.set()
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

    def is_ready(self) -> bool:
        return self.service.is_ready()[0]

    @contextmanager
    def without_database(self) -> Iterator[None]:
        """The database is gone meanwhile, and this node knows it."""

        def begin(*_: object) -> Any:
            raise DatabaseGone("connection refused")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.database, "_begin", begin)
            self.until(lambda: self.service._heartbeat.is_gone)
            yield


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Callable[..., Node]]:
    """Makes nodes, and stops them."""
    made: list[Node] = []

    def make(dbt: FakeDbt, **options: Any) -> Node:
        made.append(Node(tmp_path, dbt, **options))
        return made[-1].start()

    yield make
    for one in made:
        one.service.stop()
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


def test_lineage_has_what_a_view_reads(node: Callable[..., Node], tmp_path: Path) -> None:
    """As OpenLineage's own client writes it: the views below, and the sources it waits for."""
    dbt = due("base", "sum", "lonely")
    facts = f"spark_catalog.raw.{ODD_SOURCE}"
    dbt.plans["sum"].parents = ("base",)
    dbt.plans["lonely"].sources = {facts: 1}
    dbt.plans["lonely"].failures, dbt.plans["lonely"].retry_time = 1, FakeDbt.now() - 1
    file = tmp_path / "lineage.json"
    transport = FileTransport(FileConfig(str(file), append=True))
    lineage = Lineage(OpenLineageClient(transport=transport), "hive://store:9083")
    one = node(dbt, lineage=lineage)
    one.until(lambda: all(plan.ended for plan in dbt.plans.values()))
    one.until(lambda: len(one.events("ended")) == len(one.events("started")) > 0)
    one.stop()
    lineage.stop()
    events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    read = {
        event["job"]["name"]: [(each["namespace"], each["name"]) for each in event["inputs"]]
        for event in events
        if event["eventType"] == "START"
    }
    assert read == {
        dbt.id("base"): [],
        dbt.id("sum"): [("hive://store:9083", dbt.id("base"))],
        dbt.id("lonely"): [("hive://store:9083", facts)],
    }


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
    one.until(one.is_ready)
    one.until(lambda: one.line("daily").condition == "idle")
    assert one.asks("cancel", dbt.id("daily")) == (False, "it does not run on this node")
    assert one.asks("run", dbt.id("daily")) == (True, "queued")
    one.until(lambda: dbt.plans["daily"].ended)
    assert one.asks("pause", dbt.id("daily")) == (True, "paused")
    one.until(lambda: one.line("daily").condition == "paused")
    is_done, why = one.asks("run", dbt.id("daily"))
    since = utc(dbt.plans["daily"].paused_time or 0)
    assert (is_done, why) == (False, f"it is paused since {since}: resume it first")
    assert one.asks("resume", dbt.id("daily")) == (True, "resumed")
    assert one.asks("reset", "gone")[0] is False
    assert [name for name, _ in dbt.operations if name.startswith("mview_p")] == ["mview_pause"]


def test_a_name_of_a_model_will_do(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(one.is_ready)
    one.until(lambda: one.line("daily").condition == "idle")
    assert one.asks("run", "daily") == (True, "queued")
    one.until(lambda: dbt.plans["daily"].ended)


@pytest.mark.parametrize("verb", ["run", "cancel", "pause", "resume", "reset"])
def test_what_is_of_another_project_is_not_what_nobody_has(
    node: Callable[..., Node], verb: str
) -> None:
    """Over HTTP, and as the command line asks."""
    dbt = due("daily", "theirs", models=["daily"])
    id_ = dbt.id("theirs")
    one = node(dbt)
    one.until(lambda: one.is_ready() and one.line("theirs").model is None)
    web = TestClient(make_app(one.service, Metrics(), token="t"), "http://127.0.0.1:8580")
    bearer = {"Authorization": "Bearer t"}
    said = (
        f"is of another project, or its model is gone ({id_}): it is listed here and never"
        f" started; {verb} it where its model is"
    )
    answer = web.post(f"/v1/views/{id_}/{verb}", headers=bearer)
    assert (answer.status_code, answer.json()["detail"]) == (409, f"'{id_}' {said}")
    assert one.asks(verb, "theirs") == (False, f"'theirs' {said}")
    nobody = "'gone' is no view or log of this project, nor of another one"
    assert one.asks(verb, "gone") == (False, nobody)
    answer = web.post(f"/v1/views/gone/{verb}", headers=bearer)
    unknown = "there is no view or log 'gone'; /v1/views lists them"
    assert (answer.status_code, answer.json()["detail"]) == (404, unknown)
    assert dbt.plans["theirs"].ended is dbt.plans["theirs"].paused_time is None


def test_a_command_names_one(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({name: Plan(DAY, FakeDbt.now() + 3_600_000_000) for name in ("x.v", "y.v")})
    one = node(dbt)
    one.until(one.is_ready)
    first, second = dbt.id("x.v"), dbt.id("y.v")
    assert one.asks("run", "v") == (False, f"'v' is more than one: {first}, {second}")
    assert one.asks("run", "all") == (False, "name one view or log to run")
    assert one.asks("pause", "all") == (True, "paused")
    one.until(lambda: {one.line("x.v").condition, one.line("y.v").condition} == {"paused"})


def test_a_node_whose_id_is_in_use_waits_then_ends(
    tmp_path: Path, node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that died has left it for half a minute."""
    other = Database(f"sqlite:///{tmp_path / 'serve.db'}", "a", "another")
    other.prepare()
    other.register()
    one = node(due("daily"))
    one.until(lambda: "node 'a' is in use by a process" in one.service.is_ready()[1])
    assert one.service.report().health == "starting" and one.thread.is_alive()
    monkeypatch.setattr(heartbeat, "STALE", 0)
    monkeypatch.setattr(heartbeat, "HEARTBEAT", 0)
    one.until(lambda: not one.thread.is_alive())
    assert "node 'a' is in use by a process" in str(one.error)
    assert [line.name for line in other.nodes()] == ["a"], "it has not left for the other"
    other.close()


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
    assert recovered[0]["charge"] is False, "what it had in hand may be another view"
    noted = [args["failures"] for name, args in dbt.operations if name == "mview_note_failures"]
    assert noted == [{dbt.id("slow"): "cancelled by request"}]


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
    dbt = due("slow", seconds=0.3)
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


def test_what_did_not_parse_is_tried_again(node: Callable[..., Node]) -> None:
    """Its files stay as they are: a disk was full, say."""
    dbt = due("daily", parses=False)
    one = node(dbt)
    one.until(lambda: dbt.names("mview_models") > 1)
    assert "no such macro" in one.service.is_ready()[1], "which is still why"
    dbt.parses = True
    one.until(lambda: dbt.plans["daily"].ended)
    assert one.is_ready()


def test_what_does_not_parse_is_not_tried_at_each_look(node: Callable[..., Node]) -> None:
    dbt = due("daily", engine=False)
    one = node(dbt, pace=replace(PACE, reload=3600.0))
    one.until(lambda: dbt.names("mview_models") > 2)
    dbt.engine, dbt.parses = True, False
    one.until(lambda: one.service.report().health == "project")
    tried = dbt.names("mview_models")
    time.sleep(0.5)
    assert dbt.names("mview_models") == tried


def test_a_node_that_cannot_load_is_shown_and_counts_for_nothing(node: Callable[..., Node]) -> None:
    """What it owned would wait for it: the others keep its share, and people see why."""
    dbt = due("daily", parses=False)
    one = node(dbt)

    def starting() -> list[str]:
        return [line.starting for line in one.service.report().nodes]

    one.until(lambda: "no such macro" in "".join(starting()))
    assert starting()[0].startswith("nothing starts")
    assert one.database.beat(0, 0, "as before").starting == {"a"}
    dbt.parses = True
    (one.project / "model.sql").write_text("select 1")
    one.until(lambda: starting() == [""] and one.is_ready())


def test_a_node_that_can_take_work_says_so_at_once(node: Callable[..., Node]) -> None:
    dbt = due("daily")
    one = node(dbt, pace=replace(PACE, beat=3600.0))
    one.until(lambda: dbt.plans["daily"].ended)
    assert one.is_ready()


def test_a_node_that_cannot_read_state_says_why(node: Callable[..., Node]) -> None:
    dbt = due("daily")
    dbt.broken = {"mview_due"}
    one = node(dbt)
    one.until(lambda: "which fails: dbt run-operation mview_due" in one.service.is_ready()[1])
    assert one.service.is_ready()[1].startswith("starting: it reads state for the first time")
    one.until(lambda: "mview_due" in one.database.nodes()[0].starting)
    assert not dbt.plans["daily"].ended
    dbt.broken = set()
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
    one = node(dbt, given={"fetch_interval": "1s"})
    one.until(one.is_ready)
    dbt.engine = False
    one.until(lambda: ("run", "--select", "shop.daily") in dbt.commands)
    one.until(lambda: one.service.is_ready()[1].startswith("engine: it is tried again: "))
    one.until(lambda: one.events("breaker"))
    dbt.engine = True
    one.until(lambda: dbt.plans["daily"].ended)
    assert dbt.plans["daily"].failures == 0


def test_what_has_failed_as_a_whole_says_so_before_the_first_probe(
    node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "PROBE_FIRST", 3_600_000_000)
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(lambda: one.is_ready() and one.line("daily").condition == "idle")
    dbt.engine = False
    assert one.asks("run", "daily")[0]
    one.until(lambda: one.service.report().health == "engine")
    assert one.service.report().problem == "it is tried again: connection refused"


def test_an_engine_that_is_gone_at_the_start_is_waited_for(node: Callable[..., Node]) -> None:
    dbt = due("daily", engine=False)
    one = node(dbt)
    one.until(lambda: one.service.is_ready()[1].startswith("engine:"))
    dbt.engine = True
    one.until(lambda: dbt.plans["daily"].ended)


def test_settings_are_live(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(one.is_ready)
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
    assert failed(m.Fetch(3, is_whole=True)) == m.FetchFailed(3)
    assert failed(m.Settle("r", ())) == m.Settled("r", None)
    assert failed(m.Plan({"a": 1}, {})) == m.Planned(("a",))
    assert failed(m.Probe()) == m.Probed(is_good=False)
    assert failed(m.Start("r", "view", ())) == m.Returned("r", "error")


# Stopping


def test_a_stop_while_the_project_is_loaded_waits_for_nothing(tmp_path: Path) -> None:
    dbt = due("daily")
    dbt.gate.clear()
    one = Node(tmp_path, dbt).start()
    one.until(lambda: dbt.operations)
    one.service.stop()
    one.thread.join(WITHIN / 4)
    assert not one.thread.is_alive() and dbt.is_stopped
    assert not one.database.nodes() and one.error is None
    one.database.close()


def test_a_stop_before_all_else_ends(tmp_path: Path) -> None:
    one = Node(tmp_path, due("daily"))
    one.service.stop()
    one.start().thread.join(WITHIN / 4)
    assert not one.thread.is_alive() and one.error is None
    assert not one.events("internal_error")
    one.database.close()


def test_a_stop_does_not_wait_for_ever_for_what_cannot_be_settled(
    node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are told to look for it."""
    monkeypatch.setattr(service, "END_WITHIN", 200_000)
    dbt = due("daily", seconds=0.1)
    one = node(dbt, given={"drain": 0})
    one.until(lambda: one.events("started"))
    dbt.gate.clear()
    one.until(lambda: dbt.operations[-1][1].get("ids") == [dbt.id("daily")])
    one.service.stop()
    one.thread.join(WITHIN / 4)
    assert not one.thread.is_alive()
    (left,) = one.database.nodes()
    assert not left.is_alive
    other = Database(f"sqlite:///{one.home / 'serve.db'}", "b", "x")
    assert [run.units for run in other.find_runs(m.FindRuns("a")).runs] == [(dbt.id("daily"),)]
    other.close()


def test_a_stop_without_the_database_ends(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt)
    one.until(lambda: dbt.plans["slow"].owner)
    with one.without_database():
        one.service.stop()
        one.stop()
    assert dbt.plans["slow"].owner is None, "whose lock it was, this node knows by itself"


def test_a_node_that_could_not_leave_does_so_later(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt)
    one.until(lambda: dbt.plans["slow"].owner)
    with one.without_database():
        one.service.stop()
        one.until(lambda: one.events("stopping"))
        one.until(lambda: one.events("database"))
    one.until(lambda: not one.database.nodes())
    one.stop()


def test_who_asks_is_answered_until_the_end(node: Callable[..., Node]) -> None:
    dbt = due("daily")
    one = node(dbt)
    one.until(one.is_ready)
    gate, stopping = threading.Event(), threading.Event()

    def stop(grace: float) -> None:
        stopping.set()
        gate.wait(WITHIN)

    dbt.stop = stop  # type: ignore[method-assign]
    one.service.stop()
    assert stopping.wait(WITHIN)
    assert one.service.report().health == "stopping"
    gate.set()


# What waits, and what does not wait for it


def test_commands_that_wait_for_dbt_hold_up_no_others(node: Callable[..., Node]) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt)
    one.until(lambda: dbt.plans["slow"].owner)
    dbt.gate.clear()
    for _ in range(sum(LANES[name] for name in ("hold", "command")) + 1):
        one.database.ask("pause", "slow", "a test")
    one.until(lambda: dbt.names("mview_pause"))
    assert one.asks("cancel", "slow") == (True, "cancelled")
    assert one.asks("drain", "a")[0], "nor does a node need more than itself to go"


def test_a_command_that_was_done_is_answered_when_the_database_is_back(
    node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else takes it, and whoever asked waits."""
    dbt = due("slow", seconds=60)
    one = node(dbt)
    one.until(lambda: dbt.plans["slow"].owner)
    answer, gone = one.database.answer, [DatabaseGone("locked"), DatabaseGone("locked")]

    def answer_at_last(*told: Any) -> None:
        if gone:
            raise gone.pop()
        answer(*told)

    monkeypatch.setattr(one.database, "answer", answer_at_last)
    assert one.asks("cancel", "slow") == (True, "cancelled")


def test_a_request_waits_for_dbt(
    node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than for the loop's answer: an operation may have to import dbt."""
    monkeypatch.setattr(service, "ANSWER_WITHIN", 0.1)
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(one.is_ready)
    one.until(lambda: one.line("daily").condition == "idle")
    dbt.gate.clear()
    threading.Timer(1.0, dbt.gate.set).start()
    assert one.asks("pause", "daily") == (True, "paused")


def test_a_command_is_taken_up_once(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    taken: list[int] = []
    take = one.database.take
    one.database.take = lambda id_: (taken.append(id_), take(id_))[1]  # type: ignore
    one.until(one.is_ready)
    dbt.gate.clear()
    first, second = (one.database.ask("pause", "daily", "a test") for _ in range(2))
    one.until(lambda: taken)
    turns = one.service._listen
    for _ in range(20):
        turns()
    dbt.gate.set()
    one.until(lambda: one.database.answer_of(second))
    assert taken == [first, second]


def test_sources_are_not_looked_at_twice_at_once(node: Callable[..., Node], tmp_path: Path) -> None:
    """They cannot be listed, and the operation that is asked instead takes its time."""
    dbt = FakeDbt({"new": Plan(1, FakeDbt.now(), sources={"shop.orders": 1})})
    one = node(dbt, given={"source_poll": "1s"})
    one.until(lambda: ("mview_due", {"format": "json"}) in dbt.operations)
    dbt.gate.clear()
    count = dbt.operations.count(("mview_due", {"format": "json"}))
    waits = one.until(lambda: dbt.operations.count(("mview_due", {"format": "json"})) > count)
    assert waits
    for _ in range(10):
        one.service._loop.call(lambda: one.service._do(m.PollSources((dbt.id("new"),))))
    one.until(one.service._loop._inbox.empty)
    assert dbt.operations.count(("mview_due", {"format": "json"})) == count + 1


# The database comes and goes


def test_runs_go_on_without_the_database_and_are_written_down_later(
    node: Callable[..., Node],
) -> None:
    dbt = FakeDbt({name: Plan(DAY, FakeDbt.now() + 3_600_000_000) for name in ("one", "two")})
    one = node(dbt)
    one.until(one.is_ready)
    one.until(lambda: one.line("two").condition == "idle")
    dbt.seconds = 0.2
    assert one.asks("run", "one")[0]
    one.until(lambda: dbt.plans["one"].owner)
    with one.without_database():
        one.until(lambda: dbt.plans["one"].ended)
        one.until(lambda: one.events("ended"))
        dbt.seconds = 60
        dbt.plans["two"].next_time = dbt.now()
        one.service._loop.tell(m.Dirty())
        one.until(lambda: dbt.plans["two"].owner)
    runs = one.until(lambda: [run for run in one.database.runs() if dbt.id("two") in run.ids])
    one.until(lambda: all(run.ended for run in one.database.runs() if dbt.id("one") in run.ids))
    one.until(lambda: one.database.invocation_of(runs[0].run))
    assert runs[0].ended is None
    assert one.line("one").condition == "idle"
    assert one.asks("cancel", "two")[0]
    one.until(lambda: dbt.plans["two"].owner is None)


def test_a_process_that_stood_still_says_so(node: Callable[..., Node]) -> None:
    one = node(due("daily"))
    one.until(one.is_ready)
    one.service._loop.call(lambda: setattr(one.service._loop, "turned", monotonic() - STALL - 1))
    (told,) = one.until(lambda: one.events("stalled"))
    assert told["seconds"] == STALL // SECOND


def test_what_is_over_is_not_shown_as_running(node: Callable[..., Node]) -> None:
    """Where the database has not said so yet."""
    dbt = due("daily")
    one = node(dbt)
    gate = threading.Event()
    end = one.database.end_run
    one.database.end_run = lambda *args: (gate.wait(WITHIN), end(*args))[1]  # type: ignore
    one.until(lambda: one.events("ended"))
    assert [run.ended for run in one.database.runs()] == [None]
    assert one.service.report().runs == () and one.line("daily").condition == "idle"
    gate.set()
    one.until(lambda: one.service.report().runs)


def test_what_began_without_the_database_is_recovered(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"slow": Plan(DAY, FakeDbt.now() + 3_600_000_000)}, seconds=60)
    one = node(dbt, given={"timeout": "1s"})
    one.until(one.is_ready)
    one.until(lambda: one.line("slow").condition == "idle")
    with one.without_database():
        dbt.plans["slow"].next_time = dbt.now()
        one.service._loop.tell(m.Dirty())
        one.until(lambda: dbt.plans["slow"].owner)
        one.until(lambda: dbt.plans["slow"].reason == "timeout")
        assert dbt.plans["slow"].owner is None


def test_a_database_that_was_never_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Node(tmp_path, due("daily"))
    with pytest.MonkeyPatch.context() as patch:
        gone = DatabaseGone("connection refused")
        patch.setattr(one.database, "_begin", lambda *_: (_ for _ in ()).throw(gone))
        one.start()
        one.until(lambda: "connection refused" in one.service.is_ready()[1])
        assert one.service.report().health == "database"
    one.until(one.is_ready)
    one.stop()
    one.database.close()


def test_a_bug_in_what_is_written_down_ends_no_run_in_silence(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(one.is_ready)
    one.until(lambda: one.line("daily").condition == "idle")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one.database, "begin_run", lambda *_: 1 / 0)
        assert one.asks("run", "daily")[0]
        (ended,) = one.until(lambda: one.events("ended"))
    assert ended["how"] == "error" and "ZeroDivisionError" in ended["problem"]
    assert one.events("internal_error")
    assert one.asks("run", "daily")[0]
    one.until(lambda: dbt.plans["daily"].ended)


def test_a_run_that_is_cancelled_before_it_begins_does_not_begin(
    node: Callable[..., Node],
) -> None:
    dbt = due("slow", seconds=60)
    one = node(dbt)
    asked, gate = threading.Event(), threading.Event()
    begin = one.database.begin_run

    def wait(*args: Any) -> None:
        asked.set()
        gate.wait(WITHIN)
        begin(*args)

    one.database.begin_run = wait  # type: ignore[method-assign]
    assert asked.wait(WITHIN)
    assert one.asks("cancel", "slow") == (True, "cancelled")
    one.until(lambda: one.events("cancelling"))
    dbt.plans["slow"].next_time += 3_600_000_000
    gate.set()
    one.until(lambda: one.events("ended"))
    assert not [command for command in dbt.commands if command[0] == "run"]


def test_a_run_that_is_cancelled_while_it_begins_is_interrupted(
    node: Callable[..., Node],
) -> None:
    """Between the pool's look and the process that it starts."""
    dbt = due("slow", seconds=60)
    one = node(dbt)
    cancel, missed = dbt.cancel, threading.Event()

    def miss(name: str) -> None:
        if missed.is_set():
            cancel(name)
        missed.set()

    begun, gate = threading.Event(), threading.Event()

    def named(run: str, invocation: str) -> None:
        begun.set()
        gate.wait(WITHIN)
        one.service.name_run(run, invocation)

    dbt.cancel, dbt.on_invocation = miss, named  # type: ignore[method-assign]
    assert begun.wait(WITHIN)
    assert one.asks("cancel", "slow")[0]
    one.until(lambda: one.events("cancelling"))
    gate.set()
    assert one.until(lambda: one.events("ended"))[0]["how"] == "cancelled"


# Settings


def test_a_setting_is_given_back(node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt, given={"workers": 3})
    one.until(one.is_ready)
    one.database.set("workers", "4")
    one.until(lambda: dbt.size == 4)
    one.database.set("workers", "")
    one.until(lambda: dbt.size == 3)
    assert one.service.report().settings["workers"] == "3"
    assert not any("problem" in event for event in one.events("settings"))


def test_what_was_set_and_does_not_fit_holds_no_project(
    tmp_path: Path, node: Callable[..., Node]
) -> None:
    early = Database(f"sqlite:///{tmp_path / 'serve.db'}", "command", "")
    early.prepare()
    early.set("timeout", "2h")
    early.set("workers", "4")
    early.close()
    one = node(due("daily"))
    one.until(one.is_ready)
    settings = one.service.report().settings
    assert (settings["timeout"], settings["workers"]) == ("59m", "4")
    assert any("above the lease" in event["problem"] for event in one.events("settings"))


def test_a_setting_may_be_mended_while_it_holds_the_project(node: Callable[..., Node]) -> None:
    dbt = due("daily")
    one = node(dbt, given={"timeout": "2h"})
    one.until(lambda: "above the lease" in one.service.is_ready()[1])
    one.database.set("timeout", "30m")
    one.until(lambda: dbt.plans["daily"].ended)
    assert one.is_ready()


def test_a_model_has_no_timeout_above_the_lease(node: Callable[..., Node]) -> None:
    dbt = due("daily")
    dbt.plans["daily"].timeout = 7200
    one = node(dbt)
    said = f"{dbt.id('daily')}: its timeout is 2h, above the lease of the locks, 3600s"
    one.until(lambda: said in one.service.is_ready()[1])


# The project


def test_a_pool_that_is_none_is_named(node: Callable[..., Node]) -> None:
    dbt = due("daily", "hourly")
    dbt.plans["daily"].pool, dbt.plans["hourly"].pool = "large", "small"
    one = node(dbt, pools={"small": 1})
    one.until(lambda: all(plan.ended for plan in dbt.plans.values()))
    (problem,) = [event["problem"] for event in one.events("project") if "problem" in event]
    assert problem.startswith("pool 'large' is none of those in dbt_mview.yml")
    one.until(lambda: "pool 'large' is none" in one.line("daily").problem)
    assert one.line("hourly").problem == ""


def test_what_is_held_says_since_when(node: Callable[..., Node]) -> None:
    one = node(due("daily", parses=False))
    one.until(lambda: one.service.report().health == "project")
    text = one.service.report().problem
    assert re.match(r"nothing starts since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, until it", text)


def test_a_bug_in_a_load_holds_the_project(node: Callable[..., Node]) -> None:
    dbt = due("daily", models=["daily"])
    one = node(dbt)
    one.until(lambda: dbt.plans["daily"].ended)
    dbt.locations = None  # type: ignore[assignment]
    (one.project / "new.sql").write_text("select 1")
    one.until(lambda: one.service.report().health == "project")
    dbt.plans["daily"].next_time = dbt.now()
    one.service._loop.tell(m.Dirty())
    one.until(lambda: one.line("daily").condition == "queued")
    dbt.locations = {}
    (one.project / "new.sql").write_text("select 22")
    one.until(one.is_ready)


def test_a_project_is_loaded_again_while_a_run_goes_on(node: Callable[..., Node]) -> None:
    """Its unit is gone from the project meanwhile, and leaves at its end."""
    dbt = due("slow", "daily", seconds=0.5)
    dbt.plans["daily"].next_time += 3_600_000_000
    one = node(dbt)
    one.until(lambda: dbt.plans["slow"].owner)
    dbt.models = ["daily"]
    (one.project / "new.sql").write_text("select 1")
    one.until(lambda: len(one.events("project")) == 2)
    is_done, why = one.asks("run", "slow")
    assert not is_done and why.startswith("'slow' is of another project, or its model is gone (")
    (ended,) = one.until(lambda: one.events("ended"))
    assert ended["outcomes"] == {dbt.id("slow"): "success"}
    one.until(lambda: one.line("slow").model is None)
    assert one.line("slow").condition == "idle"


def test_a_view_that_listens_and_was_built_later_has_the_project_loaded(
    node: Callable[..., Node],
) -> None:
    dbt = FakeDbt({"new": Plan(1, 0, sources={}, is_built=False)})
    one = node(dbt, given={"source_poll": "1s", "fetch_interval": "1s"})
    one.until(one.is_ready)
    dbt.plans["new"] = Plan(1, FakeDbt.now(), sources={"shop.orders": 1}, ended=FakeDbt.now())
    one.until(lambda: dbt.names("mview_models") == 2)
    loads = len(one.events("project"))
    dbt.due = [dbt.id("new")]  # its source cannot be listed
    one.until(lambda: [run for run in one.events("ended") if run["how"] == "done"])
    assert loads <= len(one.events("project")) <= loads + 1, "it is known now"


def test_a_change_is_refreshed_once_and_again_where_that_fails(
    tmp_path: Path, node: Callable[..., Node]
) -> None:
    orders = StateTable(tmp_path / "orders")
    dbt = FakeDbt({"v": Plan(1, FakeDbt.now(), sources={"shop.orders": 0}, ended=1)})
    dbt.locations["shop.orders"] = str(orders.root)
    one = node(dbt, given={"source_poll": "1s"})
    one.until(one.is_ready)

    def told() -> bool:
        return bool(one.service._state.poll(m.PollSources((dbt.id("v"),))).ids)

    orders.put({"a": {"failures": 0}})
    one.until(lambda: one.events("ended"))
    assert one.events("ended")[0]["outcomes"] == {dbt.id("v"): "success"}
    assert not told()
    dbt.fails = {"v"}
    orders.put({"b": {"failures": 0}})
    one.until(lambda: len(one.events("ended")) == 2)
    assert one.until(told), "which a reset may need"


def test_a_view_of_which_nothing_is_known_asks_for_no_operation(
    node: Callable[..., Node],
) -> None:
    dbt = FakeDbt({"new": Plan(1, FakeDbt.now(), sources={}, ended=1)})
    one = node(dbt, given={"source_poll": "1s"})
    one.until(one.is_ready)
    polled = threading.Event()
    poll = one.service._state.poll
    one.service._state.poll = lambda action: (poll(action), polled.set())[0]  # type: ignore
    assert polled.wait(WITHIN)
    assert ("mview_due", {"format": "json"}) not in dbt.operations


def test_the_first_log_is_read(
    tmp_path: Path, node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was built after the node began, which reads Delta's log and knows of no table of logs."""
    monkeypatch.setattr(state, "LOOK_AGAIN", 50_000)
    views = StateTable(tmp_path / "views")
    logs = StateTable(tmp_path / "logs", "mlog_id")
    dbt = FakeDbt({"mlog": Plan(DAY, 0, kind="log", is_built=False)})
    dbt.locations = {"views": str(views.root), "logs": str(logs.root)}
    one = node(dbt, reader="auto")
    one.until(one.is_ready)
    one.until(lambda: one.events("reader"))
    assert one.line("mlog").problem.startswith("never built")
    at = FakeDbt.now()
    logs.put({dbt.id("mlog"): {"schedule": '{"every": 60}', "next_time": at}})
    dbt.plans["mlog"] = Plan(DAY, at, kind="log")
    one.until(lambda: ("run", "--select", "shop.mlog") in dbt.commands)
    assert one.line("mlog").kind == "log"


def test_the_engine_s_clock_is_followed(
    node: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nothing has to be fetched for a while."""
    monkeypatch.setattr(state, "LOOK_AGAIN", 50_000)
    dbt = FakeDbt({"daily": Plan(DAY, FakeDbt.now() + 3_600_000_000)})
    one = node(dbt)
    one.until(one.is_ready)
    assert abs(one.service.report().skew) < 5
    dbt.skew = 3_600_000_000
    monkeypatch.setattr(state, "CLOCK_AGE", 0)
    one.until(lambda: one.service.report().skew > 3500)
    one.until(lambda: dbt.plans["daily"].ended)


# Logs and groups


def test_a_log_is_purged_paused_and_recovered(tmp_path: Path, node: Callable[..., Node]) -> None:
    dbt = FakeDbt({"mlog": Plan(DAY, FakeDbt.now() - 1, kind="log", owner="dbt-dead")})
    dead = Database(f"sqlite:///{tmp_path / 'serve.db'}", "a", "before")
    dead.prepare()
    dead.begin_run("a/before/1", "log", (dbt.id("mlog"),), dbt.now())
    dead.name_run("a/before/1", "dbt-dead")
    dead.close()
    one = node(dbt)
    one.until(lambda: ("run", "--select", "shop.mlog") in dbt.commands)
    one.until(lambda: all(run.ended for run in one.database.runs()))
    assert {run.kind for run in one.database.runs()} == {"log"}
    assert {run.how for run in one.database.runs()} == {"recovered", "done"}
    (done,) = (run for run in one.database.runs() if run.how == "done")
    assert done.outcomes == {dbt.id("mlog"): "success"}
    assert one.asks("pause", "mlog") == (True, "paused")
    assert ("mview_pause", {"log": dbt.id("mlog")}) in dbt.operations
    one.until(lambda: one.line("mlog").condition == "paused")


def test_a_group_runs_whole(node: Callable[..., Node]) -> None:
    dbt = due("left", "right")
    dbt.plans["right"].next_time += 3_600_000_000
    for plan in dbt.plans.values():
        plan.group = "both"
    one = node(dbt)
    (ended,) = one.until(lambda: one.events("ended"))
    assert set(ended["outcomes"].values()) == {"success"} and len(ended["outcomes"]) == 2
    one.until(lambda: one.line("right").unit == "group:both")
    assert one.asks("run", "right") == (True, "queued")
    one.until(lambda: len(one.events("ended")) == 2)


# Nothing of a request


def test_no_text_of_a_request_or_name_reaches_a_shell(node: Callable[..., Node]) -> None:
    """Neither by the API nor by the database; and a name is one word of one command."""
    odd = "a'; touch pwned; --vars {x: 1} $(id) `id` \N{GRINNING FACE}"
    dbt = due(odd, "daily")
    one = node(dbt)
    one.until(lambda: all(plan.ended for plan in dbt.plans.values()))
    app = make_app(one.service, Metrics(), token="t")
    web = TestClient(app, "http://127.0.0.1:8580", headers={"Authorization": "Bearer t"})
    attack = "daily --vars {evil: 1}; touch pwned"
    assert web.post(f"/v1/views/{quote(attack, safe='')}/run").status_code == 404
    assert one.asks("pause", attack)[0] is False
    assert one.asks(attack, "daily")[0] is False
    assert web.post(f"/v1/views/{quote(dbt.id(odd), safe='')}/pause").status_code == 200
    words = [word for command in dbt.commands for word in command]
    assert {word for word in words if "touch" in word} == {f"shop.{odd}"}
    assert not any("evil" in str(word) for word in (*words, *dbt.operations))
    assert [args for name, args in dbt.operations if name == "mview_pause"] == [
        {"view": dbt.id(odd)}
    ]
