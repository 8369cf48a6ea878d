"""Figures of a service at work: ``python -m tests.serve.measure``, some fifteen minutes.

One node with SQLite, a Spark thrift server and real dbt on this machine, which should have nothing
else to do. It prints one line per figure; docs/scheduler-internals.md has them with their date.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median

import click

from dbt_mview import thrift
from dbt_mview.engine import spark_settings
from tests.serve.service import Node, until
from tests.support.project import ROOT, Project, copy_package
from tests.support.session import Session

SCHEMA = "measured"
STATE = f"{SCHEMA}_mview.mview_refresh_info"
BUILT, VIEWS = 50, 1000
SPREAD = 300.0  # seconds over which views become due one by one
IDLE = 300.0
TICKS = os.sysconf("SC_CLK_TCK")


class Measured:
    """A project with views over one table that does not change, and a node.

    Args:
        home: a directory for all of it.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.engine = thrift.start(home / "engine", settings=spark_settings(home / "engine"))
        self.session = Session(self.engine.port)
        target = {"method": "thrift", "host": thrift.HOST, "port": self.engine.port}
        package = copy_package(home / "package")
        self.project = Project(home / "p", SCHEMA, self.session, target, package)
        self._models(range(BUILT))
        for name in (SCHEMA, f"{SCHEMA}_mview"):
            self.sql(f"create schema {name}")
        self.sql(f"create table {SCHEMA}.src using delta as select 1 as n")
        self.project.run()
        self.project.run()  # nothing has changed: it says how long that takes

    def sql(self, text: str) -> None:
        """Runs SQL on the engine."""
        self.session.sql(text).collect()

    def _models(self, numbers: range) -> None:
        for number in numbers:
            query = f"select n, {number} as view from {SCHEMA}.src"
            self.project.model(f"view_{number}", query, schedule={"every": "1 day"})

    def node(self, *options: str) -> Node:
        """Starts a node, and waits until it knows the project and has nothing to do."""
        env = {**self.project.env, "PYTHONPATH": str(ROOT)}
        node = Node("one", self.home / "node", (*options, *self.project.where()[:4]), env)
        since = time.time()
        node.start()
        until("the project", lambda: node.events("project", since))
        time.sleep(10)
        return node

    def make_due(self, spread: float) -> dict[str, float]:
        """Makes what is built due within so many seconds. Returns when, by id."""
        begin = time.time() + 5
        step = spread / BUILT
        ids = [f"spark_catalog.{SCHEMA}.view_{number}" for number in range(BUILT)]
        at = {id_: begin + number * step for number, id_ in enumerate(ids)}
        times = " ".join(f"when '{id_}' then timestamp_millis({when * 1000:.0f})"
                         for id_, when in at.items())  # fmt: skip
        self.sql(f"update {STATE} set next_time = case mview_id {times} else next_time end")
        return at

    def batch(self, size: int) -> tuple[float, int]:
        """Refreshes what is built, on one worker. Returns the seconds, and in how many runs."""
        node = self.node("--workers", "1", "--batch-size", str(size))
        took: list[float] = []
        for _ in range(2):  # the first of a worker imports and parses
            since = time.time()
            self.make_due(0)
            until("the end of all", partial(self._is_done, node, since), 900)
            runs = node.events("started", since)
            took.append(node.events("ended", since)[-1]["ts"] - runs[0]["ts"])
        assert node.stop() == 0
        return took[-1], len(runs)

    @staticmethod
    def _is_done(node: Node, since: float) -> bool:
        """Whether all that is built has been refreshed since then, and has found nothing new."""
        ended = [one["outcomes"].values() for one in node.events("ended", since)]
        assert all(outcome == "skip" for outcomes in ended for outcome in outcomes), ended
        return sum(map(len, ended)) == BUILT

    def lateness(self) -> list[float]:
        """Seconds from due to started, of views that become due one by one."""
        node = self.node("--workers", "4")
        found: list[float] = []
        for turn in range(3):  # the first starts the workers
            since = time.time()
            due = self.make_due(SPREAD if turn else 20.0)
            until("the end of all", partial(self._is_done, node, since), 900)
            if turn:
                started = node.events("started", since)
                found += [one["ts"] - due[id_] for one in started for id_ in one["ids"]]
        assert node.stop() == 0
        return sorted(found)

    def idle(self) -> float:
        """Of a core, what a node and its workers take that have nothing to do."""
        self._models(range(BUILT, VIEWS))
        self._plan(range(BUILT, VIEWS))
        node = self.node()
        assert node.events("project")[-1]["models"] == VIEWS
        time.sleep(60)
        before = self._cpu(node)
        time.sleep(IDLE)
        used = self._cpu(node) - before
        assert node.stop() == 0
        return used / IDLE

    def _plan(self, numbers: range) -> None:
        """Writes rows of state as if these views had been built."""
        (row,) = self.session.sql(f"select * from {STATE} limit 1").collect()
        rest = ", ".join(name for name in row.__fields__ if name != "mview_id")
        self.sql(
            f"insert into {STATE} (mview_id, {rest})"
            f" select concat('spark_catalog.{SCHEMA}.view_', id), {rest}"
            f" from (select * from {STATE} limit 1)"
            f" cross join range({numbers.start}, {numbers.stop})"
        )

    @staticmethod
    def _cpu(node: Node) -> float:
        assert node.process is not None
        used = 0
        for pid in [node.process.pid, *node.workers()]:
            with suppress(FileNotFoundError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                used += int(fields[11]) + int(fields[12])
        return used / TICKS


def main() -> None:
    """Measures, and prints."""
    home = Path(tempfile.mkdtemp(prefix="measured"))
    measured = Measured(home)
    try:
        (together, runs), (single, more) = measured.batch(BUILT), measured.batch(1)
        click.echo(f"{BUILT} skips in {runs} run: {together:.1f} s; in {more} runs: {single:.1f} s;"
              f" {together / single:.2f} of it")  # fmt: skip
        late = measured.lateness()
        p99 = late[int(len(late) * 0.99) - 1]
        click.echo(f"due to start of {len(late)}: median {median(late):.2f} s, p99 {p99:.2f} s,"
              f" most {late[-1]:.2f} s")  # fmt: skip
        click.echo(f"idle with {VIEWS} views: {measured.idle():.2%} of a core")
    finally:
        measured.engine.kill()
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
