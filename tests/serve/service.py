"""Three nodes of `dbt-mview serve`, what they need, and what is known of them from outside.

Nodes are asked by HTTP and by the command line, and leave lines of JSON; state is read from its
files, so that it can be looked at while no engine runs.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from click.testing import CliRunner
from deltalake import DeltaTable

from dbt_mview import cli, thrift
from dbt_mview.engine import spark_settings
from tests.serve.project import NODES, PAIR, SCHEMA, SLOW, STATE, TABLES, Views, id_of, make, owner
from tests.support.postgres import Postgres
from tests.support.project import ROOT
from tests.support.quick import INTERRUPTED, QUICK_COMPILER
from tests.support.session import Session

# Seconds that anything may take that is not measured.
PATIENCE = 400.0
# Seconds within which another node takes what a dead one owned, frees a lock that it held, and
# refreshes what became due while the engine was gone; those of the longest run are added, because
# for so long a slot may be taken.
LATE, FREE, FRESH = 45.0, 60.0, 90.0
LOOK, ASLEEP = 0.2, 3.0
FEED = 30.0
DONE = ("success", "skip")
STEP = 1e-3


def until(what: str, look: Callable[[], Any], within: float = PATIENCE, every: float = LOOK) -> Any:
    """Waits until something is true. Returns what it found.

    Args:
        what: is waited for.
        look: says whether it is.
        within: seconds.
        every: seconds between two looks.
    """
    end = time.monotonic() + within
    while not (found := look()):
        assert time.monotonic() < end, f"{what}: not within {within:.0f} s"
        time.sleep(every)
    return found


class Node:
    """One process of the service.

    Args:
        name: its id.
        home: a directory of its own.
        options: what it is started with.
        env: the environment.
    """

    def __init__(
        self, name: str, home: Path, options: Collection[str], env: Mapping[str, str]
    ) -> None:
        self.name, self.home = name, home
        home.mkdir(parents=True, exist_ok=True)
        self._options, self._env = options, env
        self.log, self.errors = home / "events.jsonl", home / "errors.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        """Starts it."""
        own = ("--node-id", self.name, "--home", str(self.home), "--listen", "127.0.0.1:0")
        with self.log.open("ab") as output, self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "dbt_mview", "serve", *own, *options, *self._options],
                env=self._env,
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )

    @property
    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and self.process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the node alone."""
        assert self.process is not None
        self.process.send_signal(number)

    def signal_all(self, number: signal.Signals) -> None:
        """Sends a signal to the node and to its workers, as to a machine that dies or stalls."""
        assert self.process is not None
        for pid in [self.process.pid, *self.workers()]:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self, *, whole: bool) -> None:
        """kill -9 of the node, or of all of it.

        Args:
            whole: its workers die as well.
        """
        assert self.process is not None
        (self.signal_all if whole else self.signal)(signal.SIGKILL)
        self.process.wait()

    def stop(self, within: float = PATIENCE) -> int:
        """SIGTERM. Returns the exit code."""
        assert self.process is not None
        self.signal(signal.SIGTERM)
        return self.process.wait(within)

    def workers(self) -> list[int]:
        """Processes of its workers, also of those that have outlived it."""
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if b"dbt_mview.serve.worker" in words and self._is_mine(words):
                    found.append(int(entry.name))
        return found

    def _is_mine(self, words: list[bytes]) -> bool:
        return any(word.startswith(f"{self.home}/".encode()) for word in words)

    def printed(self) -> str:
        """What dbt has printed in its workers."""
        return "".join(file.read_text() for file in sorted(self.home.glob("logs/worker-*.log")))

    def events(self, name: str, since: float = 0.0) -> list[dict[str, Any]]:
        """What it has written down.

        Args:
            name: of the event.
            since: seconds since the epoch; `ts` of an event is that as well.
        """
        if not self.log.exists():
            return []
        found = []
        for line in self.log.read_text(encoding="utf-8").splitlines():
            one = json.loads(line) if line.endswith("}") else {}
            if one.get("event") == name:
                at = datetime.fromisoformat(one["ts"].removesuffix("Z"))
                one["ts"] = at.replace(tzinfo=timezone.utc).timestamp()
                if one["ts"] >= since:
                    found.append(one)
        return found

    @property
    def address(self) -> str:
        """Where its HTTP listens."""
        address: str = self.events("listening")[-1]["address"]
        return address

    def get(self, path: str) -> tuple[int, str]:
        """Asks it by HTTP. Returns the status, and the body."""
        try:
            with urlopen(self.address + path, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def ring(self) -> tuple[str, ...]:
        """The nodes that it shares the views with; none before it knows."""
        told = self.events("ring")
        return tuple(told[-1]["nodes"]) if told else ()


@dataclass(frozen=True)
class Start:
    """One refresh or purge that a node has begun.

    Args:
        id: of the view or log.
        at: seconds since the epoch.
        node: that began it.
        run: its name.
        ended: seconds since the epoch; None for never: the node died.
        outcome: success, skip, failed, not reached; empty if it never ended.
    """

    id: str
    at: float
    node: str
    run: str
    ended: float | None
    outcome: str


class Service:
    """The nodes, PostgreSQL, a thrift server, and a project that was built.

    Args:
        home: a directory for all of it.
        is_long: all views, not only those that tests name.
    """

    def __init__(self, home: Path, *, is_long: bool) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.ui = thrift.free_port()
        self.settings = {
            **INTERRUPTED,
            "spark.ui.enabled": "true",  # it tells which jobs run
            "spark.ui.port": str(self.ui),
        }
        if not is_long:
            options = "spark.driver.extraJavaOptions"
            self.settings[options] = f"{spark_settings(home)[options]} {QUICK_COMPILER}"
        self.postgres = Postgres(home)
        self.engine = thrift.start(home / "engine", settings=self.settings)
        self.session = Session(self.engine.port)
        # A statement that takes longer than this takes a multiple of it.
        waits = {"poll_interval": 1}
        target = {"method": "thrift", "host": thrift.HOST, "port": self.engine.port, **waits}
        self.project = make(home / "p", target, self.session)
        self.views = Views(self.project, is_long=is_long)
        for schema in (SCHEMA, STATE):
            self.sql(f"create schema if not exists {schema}")
        for statement in TABLES:
            self.sql(statement)
        self.project.run()
        self.database = f"postgresql://postgres@{thrift.HOST}:{self.postgres.port}/postgres"
        root = str(self.project.root)
        places = ("--project-dir", root, "--profiles-dir", root)
        env = {**self.project.env, "PYTHONPATH": str(ROOT)}
        slots = () if is_long else ("--workers", "2")  # one for views: each is a process of dbt
        options = ("--database", self.database, *places, *slots)
        self.nodes = {name: Node(name, home / name, options, env) for name in NODES}
        for node in self.nodes.values():
            self._spare_parsing(node)
        # By id, a time at which it was due: all others are some of its intervals away.
        self.grid = {
            id_: row["next_time"].timestamp()
            for id_, row in self.state().items()
            if id_ in self.views.every
        }
        self.began = 0.0
        self._is_fed = threading.Event()
        self._fed = threading.Thread(target=self._feed, daemon=True)
        self._fed.start()

    def _spare_parsing(self, node: Node) -> None:
        """Gives workers what dbt knows of the project: each would find it out by itself."""
        for number in range(3):
            place = node.home / "targets" / str(number)
            place.mkdir(parents=True)
            shutil.copy(self.project.root / "target" / "partial_parse.msgpack", place)

    def stop(self) -> None:
        """Ends all of it, whatever its state."""
        for node in self.nodes.values():
            for pid in [node.process.pid] if node.process and node.is_alive else []:
                os.kill(pid, signal.SIGKILL)
            for pid in node.workers():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self.engine.kill()
        with suppress(Exception):
            self.postgres.kill()

    # What it consists of

    def sql(self, text: str) -> list[Any]:
        """Runs SQL on the engine; `@` is the schema of the views."""
        return self.session.sql(text.replace("@", SCHEMA)).collect()

    def start(self, *options: str) -> None:
        """Starts all nodes, and waits until they share the views and have refreshed some."""
        self.began = time.time()
        for node in self.nodes.values():
            node.start(*options)
        until("a ring of all nodes", lambda: self.rings() == {NODES})
        until("a refresh by each node", lambda: all(map(self._has_refreshed, NODES)))
        self._is_fed.set()

    def _has_refreshed(self, name: str) -> bool:
        return any(self.outcomes(one) for one in self.nodes[name].events("ended", self.began))

    @staticmethod
    def outcomes(ended: Mapping[str, Any]) -> list[str]:
        """Ids of what a run has refreshed or found unchanged."""
        return [id_ for id_, outcome in ended["outcomes"].items() if outcome in DONE]

    def rings(self) -> set[tuple[str, ...]]:
        """What the living nodes think of who they are."""
        return {node.ring() for node in self.nodes.values() if node.is_alive}

    def engine_dies(self) -> None:
        """kill -9 of the thrift server. Nothing is fed until it is back."""
        self._is_fed.clear()
        self.engine.kill()

    def engine_rises(self) -> None:
        """Starts it again; it answers."""
        self.engine = thrift.start(self.engine.home, self.engine.port, settings=self.settings)
        self.session = Session(self.engine.port)
        self.project.spark = self.session
        self._is_fed.set()

    def command(self, *words: str, expect: bool = True) -> str:
        """Runs a command of `dbt-mview` on the service. Returns what it printed."""
        places = ("--database", self.database, "--home", str(self.nodes["a"].home))
        result = CliRunner().invoke(cli.main, [words[0], *places, *words[1:]])
        assert (result.exit_code == 0) == expect, result.output
        return result.output

    def _feed(self) -> None:
        """Writes a row now and then, so that views have something to refresh for."""
        number, session = 2, None
        while True:
            self._is_fed.wait()
            try:
                session = session or Session(self.engine.port)
                session.sql(f"insert into {SCHEMA}.src values ({number})")
                number += 1
            except Exception:
                session = None  # the engine is gone, as a test wanted it
            time.sleep(FEED)

    # What is known

    def state(self) -> dict[str, dict[str, Any]]:
        """The rows of views and logs in state, by id."""
        rows = {}
        for table, key in (("mview_refresh_info", "mview_id"), ("mlog_purge_info", "mlog_id")):
            rows.update({row[key]: row for row in self._table(table)})
        return rows

    def _table(self, name: str) -> list[dict[str, Any]]:
        place = self.engine.home / "warehouse" / f"{STATE}.db" / name
        found: list[dict[str, Any]] = DeltaTable(place).to_pyarrow_table().to_pylist()
        return found

    def history(self, since: float = 0.0) -> list[dict[str, Any]]:
        """Refreshes that have ended since then, oldest first."""
        rows = self._table("mview_refresh_hist")
        found = [row for row in rows if row["refresh_endtime"].timestamp() >= since]
        return sorted(found, key=lambda row: row["refresh_time"])

    def failed(self, since: float) -> list[dict[str, Any]]:
        """Those of them that did not succeed."""
        return [row for row in self.history(since) if row["refresh_status"] != "success"]

    def locks(self) -> dict[str, str]:
        """Who holds the locks, by id of a view or log."""
        return {id_: row["lock_owner"] for id_, row in self.state().items() if row["lock_owner"]}

    def jobs(self) -> list[str]:
        """What runs in Spark, by the descriptions of its jobs."""
        base = f"http://{thrift.HOST}:{self.ui}/api/v1/applications"
        with urlopen(base, timeout=20) as answer:
            (application,) = json.load(answer)
        with urlopen(f"{base}/{application['id']}/jobs?status=running", timeout=20) as answer:
            return [one.get("description") or one["name"] for one in json.load(answer)]

    def living(self) -> list[Node]:
        """The nodes whose processes run."""
        return [node for node in self.nodes.values() if node.is_alive]

    def without(self, node: Node) -> tuple[tuple[str, ...], list[Node]]:
        """The others: their names, and themselves."""
        others = [one for one in self.nodes.values() if one is not node]
        return tuple(one.name for one in others), others

    def end_of(self, run: str) -> dict[str, Any]:
        """The event that its node has written at the end of a run; empty for none so far."""
        ends = self.nodes[run.partition("/")[0]].events("ended", self.began)
        return next((one for one in ends if one["run"] == run), {})

    def starts(self, since: float = 0.0) -> list[Start]:
        """What all nodes have begun, oldest first."""
        found = []
        for node in self.nodes.values():
            ended = {one["run"]: one for one in node.events("ended", since)}
            for one in node.events("started", since):
                end = ended.get(one["run"], {"ts": None, "outcomes": {}})
                for id_ in one["ids"]:
                    outcome = end["outcomes"].get(id_, "")
                    found.append(Start(id_, one["ts"], node.name, one["run"], end["ts"], outcome))
        return sorted(found, key=lambda one: one.at)

    def due_after(self, id_: str, at: float) -> float:
        """When a view with an interval was due next, after it was refreshed.

        Views of a group are refreshed together, as soon as one of them is due.

        Args:
            id_: of it.
            at: when that refresh had ended, or began.
        """
        pair = [*map(id_of, PAIR)]
        every = self.views.every[id_]
        starts = [self.grid[one] for one in (pair if id_ in pair else [id_])]
        return min(one + every * (math.floor((at - one) / every + STEP) + 1) for one in starts)

    def lateness(self, since: float, ended: float | None = None) -> dict[str, float]:
        """By view or log with an interval, seconds between its due time and its start at most.

        Args:
            since: what has begun before is not looked at.
            ended: until then, or until now.
        """
        ended = ended or time.time()
        late: dict[str, float] = {}
        for id_, mine in self.by_id().items():
            if id_ not in self.views.every:
                continue
            last = None
            for one in mine:
                if last is not None and since <= one.at <= ended:
                    late[id_] = max(late.get(id_, 0.0), one.at - self.due_after(id_, last))
                if one.ended is not None and one.outcome in DONE:
                    last = one.ended
            if last is not None and last < ended and mine[-1].ended is not None:
                late[id_] = max(late.get(id_, 0.0), ended - max(self.due_after(id_, last), since))
        return late

    def by_id(self) -> dict[str, list[Start]]:
        """What all nodes have begun, oldest first, since the nodes were started last."""
        found: dict[str, list[Start]] = {}
        for one in self.starts(self.began):
            found.setdefault(one.id, []).append(one)
        return found

    def begun(self) -> set[str]:
        """What has begun since the nodes were started last, and has not ended."""
        return {one.id for one in self.starts(self.began) if one.ended is None}

    # What tests wait for

    def set_pace(self, seconds: float) -> None:
        """How long refreshes of SLOW take that read it from now on."""
        self.sql(f"update @.pace set ms = {round(seconds * 1000)}")

    def longest(self) -> float:
        """Seconds of the longest run so far, but for those of SLOW: how busy this machine is.

        What is due waits for a slot as long as that, whatever the scheduler does.
        """
        slow = id_of(SLOW)
        return max(one.ended - one.at for one in self.starts() if one.ended and one.id != slow)

    def asleep(self, seconds: float) -> tuple[Node, Start]:
        """Waits until a refresh of SLOW sleeps in Spark. Returns where, and its start.

        It may have begun before the pace was set, and have read it afterwards; so the start does
        not tell, and Spark is asked. A refresh at the old pace is over before the second look.

        Args:
            seconds: that it sleeps; those that begin later do not.
        """
        id_ = id_of(SLOW)
        seen = [""]

        def look() -> Start | None:
            start = self.by_id()[id_][-1]
            is_asleep = id_ in self.locks() and any("slept" in job for job in self.jobs())
            seen.append(start.run if is_asleep and start.ended is None else "")
            return start if seen[-1] and seen[-2] == seen[-1] else None

        self.set_pace(seconds)
        start = until(f"a refresh of {id_}", look, every=ASLEEP)
        self.set_pace(0)
        return self.nodes[start.node], start

    def until_fresh(self, ids: Collection[str], since: float, within: float = PATIENCE) -> float:
        """Waits until views were refreshed, or found unchanged.

        Args:
            ids: of views or logs.
            since: they have begun after that: seconds since the epoch.
            within: seconds from now.

        Returns:
            Seconds between `since` and the last of them.
        """

        missing: set[str] = set()

        def look() -> float | None:
            ended = self.fresh(since)
            missing.clear()
            missing.update(set(ids) - ended.keys())
            return None if missing else max(ended[id_] for id_ in ids)

        try:
            return float(until("all are fresh", look, within)) - since
        except AssertionError as error:
            raise AssertionError(f"{error}: {sorted(missing)} are not") from error

    def fresh(self, since: float) -> dict[str, float]:
        """When views and logs were first refreshed, or found unchanged, that began after that."""
        return {
            one.id: one.ended
            for one in reversed(self.starts(since))
            if one.outcome in DONE and one.ended is not None
        }

    def is_kept(self, since: float, nodes: Collection[str] = NODES) -> None:
        """Each view that was begun since then was begun by its owner among these nodes."""
        for one in self.starts(since):
            assert one.node in nodes and one.node == owner(one.id, nodes), (
                f"not by its owner: {one}"
            )

    def due(self) -> list[str]:
        """What state says is due now."""
        now = time.time()
        times = {id_: row["retry_time"] or row["next_time"] for id_, row in self.state().items()}
        return [id_ for id_, at in times.items() if at is not None and at.timestamp() <= now]

    # What must hold whatever has happened

    def end_well(self) -> None:
        """Stops the nodes that live; nothing of them is left, and all that they did was right."""
        self._is_fed.clear()
        for node in self.living():
            node.signal(signal.SIGTERM)
        for node in self.nodes.values():
            if node.process is not None:
                code = node.process.wait(PATIENCE)
                assert code in (0, -signal.SIGKILL), f"{node.name} ended with {code}"
            until(f"the end of the workers of {node.name}", lambda node=node: not node.workers())
        assert not self.locks(), "a lock is held"
        self.once_for_each_plan()
        self.published_once()
        self.equal()

    def once_for_each_plan(self) -> None:
        """Nothing is started before it is due, nor refreshed twice for one plan."""
        for id_, mine in self.by_id().items():
            done = [one for one in mine if one.outcome in DONE and one.ended is not None]
            for one in mine:
                # What had not ended then was due still, as far as another node could know.
                before = [other.at for other in done if other.ended <= one.at]
                if before and id_ in self.views.every:
                    early = self.due_after(id_, max(before)) - one.at
                    assert early < 0.1, f"{id_} began {early:.1f} s early, in {one.run}"
        refreshed: dict[str, float] = {}
        for row in self.history(self.began):
            id_, at = row["mview_id"], row["refresh_time"].timestamp()
            if row["refresh_status"] == "success" and id_ in self.views.every:
                if id_ in refreshed:
                    assert self.due_after(id_, refreshed[id_]) <= at, f"twice for a plan: {row}"
                refreshed[id_] = at

    def published_once(self) -> None:
        """Each refresh is one commit of its view, and one row of history."""
        for id_ in self.views.ids:
            place = self.engine.home / "warehouse" / f"{SCHEMA}.db" / id_.rpartition(".")[2]
            metas = [one.get("userMetadata") or "" for one in DeltaTable(place).history()]
            jobs = Counter(re.findall(r'"refresh_job_id": "(\w+)"', " ".join(metas)))
            told = Counter(
                row["refresh_job_id"]
                for row in self.history()
                if row["mview_id"] == id_ and row["refresh_status"] == "success"
            )
            assert set(jobs.values()) <= {1}, f"{id_} was published twice: {jobs}"
            assert set(told.values()) <= {1}, f"{id_} was recorded twice: {told}"
            assert jobs.keys() <= told.keys(), f"{id_}: published and not recorded: {jobs - told}"

    def equal(self) -> None:
        """Every view is its query at the versions that it read."""
        self.set_pace(0)
        printed = self.project.op("mview_verify").log
        compared = re.findall(rf"^{SCHEMA}\.(\w+) +equal ", printed, re.MULTILINE)
        assert {id_of(name) for name in compared} >= self.views.comparable, printed
