"""Reports of a scheduler service that is not there: for the page, the API and the metrics."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any, get_args

from dbt_mview.serve.report import Condition, NodeLine, Report, RunLine, ViewLine

SECOND = 1_000_000
HOUR = 3600 * SECOND
NOW = 1_795_800_000 * SECOND + 123_456
# What nobody should name a view, and what the page must survive.
ODD = (
    "hive.s.<script>alert(1)</script>",
    "hive.s.\"quotes\" & 'others'",
    "hive.s.a/b/run",
    "hive.s.50%25 of..it",
    "hive.größe.視圖 🦆",
    "hive.s.a?b#c+d e",
)


def view(id_: str, condition: Condition = "idle", **changes: Any) -> ViewLine:
    """A view that is due in an hour."""
    line = ViewLine(
        id=id_,
        kind="view",
        model=id_.rpartition(".")[2],
        unit=id_,
        node="north-1",
        condition=condition,
        due=NOW + HOUR,
        late=0.0,
        ended=NOW - HOUR,
        took=12.34,
        failures=0,
        paused_time=None,
        schedule='{"next": "interval 1 hour"}',
        problem="",
        priority=3,
        pool=None,
    )
    return replace(line, **changes)


def run(name: str, ids: tuple[str, ...], **changes: Any) -> RunLine:
    """A run that was done 90 seconds ago, after 30 seconds."""
    line = RunLine(
        run=name,
        node="north-1",
        invocation="6f9619ff-8b86-d011-b42d-00c04fc964ff",
        kind="view",
        ids=ids,
        began=NOW - 120 * SECOND,
        ended=NOW - 90 * SECOND,
        how="done",
        outcomes=dict.fromkeys(ids, "success"),
        problem="",
    )
    return replace(line, **changes)


def running(name: str, *ids: str) -> RunLine:
    """A run that has not ended."""
    return run(name, ids, ended=None, how="", outcomes={}, invocation="")


def node(name: str, is_alive: bool = True, **changes: Any) -> NodeLine:
    """A node; one that is not alive has been silent for a minute."""
    age = 2.5 if is_alive else 61.0
    line = NodeLine(name, f"http://{name}:8580", "0.1.0", age, 8, 1, is_alive)
    return replace(line, **changes)


def report(**changes: Any) -> Report:
    """A healthy node with one view of each condition, a log, odd names, and three runs."""
    late = {"due": NOW - 90 * SECOND, "late": 90.0}
    special: dict[str, dict[str, Any]] = {
        "queued": late,
        "waiting": {**late, "pool": "small"},
        "held": {"due": NOW - 2 * HOUR, "late": 7200.0},
        "running": {"due": NOW - 5 * SECOND},
        "broken": {"due": None, "failures": 16, "problem": "Division by zero"},
        "paused": {"due": None, "paused_time": NOW - 3 * HOUR},
        "unknown": {"node": "north-2"},
    }
    views = [view(f"hive.sales.{one}", one, **special.get(one, {})) for one in get_args(Condition)]
    views += [view(id_) for id_ in ODD]
    views.append(
        view("hive.sales.log_of_orders", kind="log", ended=None, took=None, model=None, node=None)
    )
    made = Report(
        node="north-1",
        version="0.1.0",
        project="shop",
        target="prod",
        now=NOW,
        health="ok",
        problem="",
        nodes=(node("north-1"), node("north-2"), node("north-3", False, owned=0, running=0)),
        views=tuple(views),
        runs=(
            running("r-3", "hive.sales.running"),
            run("r-2", ("hive.sales.a", "hive.sales.b", ODD[0])),
            run(
                "r-1",
                ("hive.sales.broken",),
                outcomes={"hive.sales.broken": "failed"},
                problem="<b>Division</b> by zero",
            ),
        ),
        settings={"workers": "2", "timeout": "59m"},
        skew=0.01,
        fetched=3.2,
        beaten=1.1,
    )
    return replace(made, **changes)


class FakeReporter:
    """A service that does what it is told to: change its attributes.

    Args:
        shown: what it reports.
    """

    def __init__(self, shown: Report) -> None:
        self.shown = shown
        self.alive, self.ready = True, (True, "")
        self.answer: tuple[bool, str] | Exception = (True, "done")
        self.asked: list[tuple[str, str, str]] = []
        self.gate = threading.Event()
        self.gate.set()

    def report(self) -> Report:
        return self.shown

    def is_alive(self) -> bool:
        return self.alive

    def is_ready(self) -> tuple[bool, str]:
        return self.ready

    def request(self, verb: str, id_: str, by: str) -> tuple[bool, str]:
        self.asked.append((verb, id_, by))
        self.gate.wait(10)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer
