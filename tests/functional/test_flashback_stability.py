"""Writers, readers of the past, a switch and VACUUM, all at once: no read gives a wrong row."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timezone
from pathlib import Path
from typing import Any

import pytest

from dbt_mview.thrift import ThriftServer
from tests.functional.flashback_reader import LEASE, invocation, read
from tests.support.session import Session

pytestmark = [pytest.mark.thrift, pytest.mark.nightly]

SECONDS = 165.0
AT_MOST = 600.0  # where the machine is busy, until there was enough to see
ENOUGH = 8  # reads that were right
LIVES = 55.0  # how long a reader lives
SCHEMA = "flashback_stability"
TABLES = ("a", "b")
# What a plain VACUUM takes while the switch is off, and not while it is on.
KEPT = "interval 30 seconds"
ROOT = Path(__file__).resolve().parents[2]
# Delta shows a commit some milliseconds earlier or later.
NEAR = 0.02
NAMED = {
    "flashback is disabled": "disabled",
    "is outside of the window, which begins at": "window",
    "it did not exist at": "before",
    "cannot be read: Delta keeps": "refused",
    "FILE_NOT_EXIST": "files",  # the hint of a run: a VACUUM kept less
}
Rows = dict[int, int]
Action = Callable[[Session, random.Random], object]


@dataclass
class Written:
    """What a table was from each of its commits on."""

    times: list[float] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)

    def at(self, moment: float) -> Rows | None:
        """Its rows; None where two answers are right, or it was not there."""
        place = bisect_right(self.times, moment) - 1
        near = any(abs(one - moment) < NEAR for one in self.times[max(0, place) : place + 2])
        return None if place < 0 or near else self.rows[place]


def verdicts(reads: list[dict[str, Any]], written: dict[str, Written]) -> Counter[str]:
    """How many reads were right, were refused and why, or were wrong."""
    found: Counter[str] = Counter()
    for one in reads:
        if error := one.get("error"):
            found[next((NAMED[text] for text in NAMED if text in error), error)] += 1
            continue
        expected = written[one["table"]].at(one["at"])
        rows = {tuple(row) for row in one["rows"]}
        same = expected is not None and rows == set(expected.items())
        found["either" if expected is None else "right" if same else f"wrong: {one}"] += 1
    return found


def test_a_wrong_row_would_be_seen() -> None:
    written = {"a": Written([10.0, 20.0], [{1: 1}, {1: 1, 2: 2}])}
    reads = [
        {"table": "a", "at": 15.0, "rows": [[1, 1]]},
        {"table": "a", "at": 25.0, "rows": [[2, 2], [1, 1]]},
        {"table": "a", "at": 20.01, "rows": [[1, 1]]},
        {"table": "a", "at": 25.0, "rows": [[1, 1]]},
        {"table": "a", "at": 5.0, "error": "dbt_mview: a: flashback is disabled."},
        {"table": "a", "at": 5.0, "error": "boom"},
    ]
    found = verdicts(reads, written)
    assert (found["right"], found["either"], found["disabled"], found["boom"]) == (2, 1, 1, 1)
    assert sum(verdict.startswith("wrong") for verdict in found) == 1


class Scene:
    """The server, and what goes on on it until it is over."""

    def __init__(self, port: int, place: Path) -> None:
        self.port, self.place = port, place
        self.over = threading.Event()
        self.written = {table: Written() for table in TABLES}
        self.failed: list[str] = []
        self.switched = 0
        self.session = Session(port)
        self.switch(True)

    def sql(self, text: str, session: Session | None = None) -> list[Any]:
        """Rows of a statement, in which @ stands for the schema."""
        return (session or self.session).sql(text.replace("@", SCHEMA)).collect()

    @property
    def is_on(self) -> bool:
        """The switch."""
        return (self.place / "switch").read_text() == "on"

    def switch(self, on: bool) -> None:
        """Writes it whole, as readers look at any time."""
        (self.place / "new").write_text("on" if on else "off")
        (self.place / "new").rename(self.place / "switch")
        self.switched += 1

    def operate(self, name: str, session: Session) -> None:
        """An operation of the package, as the switch says."""
        if name != "mview_trackpoint_create" or self.is_on:
            invocation(session, SCHEMA, self.is_on).operation(name)

    def tries(self, act: Action, session: Session, chance: random.Random, name: str) -> None:
        """Does something once. An ALTER fails those that write at that moment; all else is over."""
        try:
            act(session, chance)
        except Exception as error:
            if not any(one in str(error) for one in ("CONCURRENT", "METADATA_CHANGED")):
                self.failed.append(f"{name}: {error}")
                self.over.set()

    def goes_on(self, act: Action, name: str) -> Any:
        """A thread that does something again and again, on a connection of its own."""

        def loop() -> None:
            session, chance = Session(self.port), random.Random(name)
            session.sql("set time zone 'UTC'")
            while not self.over.is_set():
                self.tries(act, session, chance, name)

        thread = threading.Thread(target=loop, name=name)
        thread.start()
        return thread

    # What goes on

    def write(self, table: str, session: Session, chance: random.Random) -> None:
        """One change of a table, and what it was from then on; readers have a turn, too."""
        self.over.wait(chance.uniform(0, 1))
        written = self.written[table]
        rows = dict(written.rows[-1])
        some, new = chance.choice(list(rows)), max(rows) + 1
        kind = chance.choice(("insert", "update", "delete", "merge", "optimize"))
        if kind == "insert":
            sql, rows[new] = f"insert into @.{table} values ({new}, 0)", 0
        elif kind == "update":
            sql = f"update @.{table} set n = n + 1 where id % 3 = {some % 3}"
            rows = {key: n + (key % 3 == some % 3) for key, n in rows.items()}
        elif kind == "delete" and len(rows) > 3:
            sql = f"delete from @.{table} where id = {some}"
            del rows[some]
        elif kind == "merge":
            sql = (
                f"merge into @.{table} t using (select explode(array({some}, {new})) as id) s"
                " on t.id = s.id when matched then update set n = t.n + 10"
                " when not matched then insert (id, n) values (s.id, 7)"
            )
            rows |= {some: rows[some] + 10, new: 7}
        else:
            sql = f"optimize @.{table}"
        self.sql(sql, session)
        self.note(table, rows, session)

    def note(self, table: str, rows: Rows, session: Session) -> None:
        """The newest commit that changed rows: this table has no other writer."""
        for one in self.sql(f"describe history @.{table} limit 20", session):
            if one.operation in ("CREATE TABLE AS SELECT", "WRITE", "UPDATE", "DELETE", "MERGE"):
                at = one.timestamp.replace(tzinfo=timezone.utc).timestamp()
                written = self.written[table]
                if not written.times or at > written.times[-1]:
                    # In this order: the test looks meanwhile, by the times.
                    written.rows.append(rows)
                    written.times.append(at)
                assert rows == written.rows[-1], "its commit is there"
                return
        raise AssertionError(f"no commit of {table}")

    def keep(self, session: Session, chance: random.Random) -> None:
        """Track points and cleaning, as the service has them."""
        self.operate("mview_trackpoint_create", session)
        self.operate("mview_trackpoint_clean", session)
        self.over.wait(chance.uniform(1, 4))

    def turn(self, session: Session, chance: random.Random) -> None:
        """The switch, at random; longer on, as what was before it was off is refused."""
        self.over.wait(chance.uniform(8, 20) if self.is_on else chance.uniform(1, 6))
        self.switch(not self.is_on)

    def vacuum(self, session: Session, chance: random.Random) -> None:
        """The package's, then somebody's."""
        self.over.wait(15)
        self.operate("mview_vacuum", session)
        for table in TABLES:
            self.sql(f"vacuum @.{table}", session)

    # Readers

    def reader(self, name: str) -> subprocess.Popen[str]:
        """A process that reads until it is killed."""
        args = [str(self.port), SCHEMA, str(self.place), name, *TABLES]
        return subprocess.Popen(
            [sys.executable, "-m", "tests.functional.flashback_reader", *args],
            cwd=ROOT,
            stdout=(self.place / f"{name}.out").open("w"),
            stderr=subprocess.STDOUT,
            text=True,
        )

    def reads(self) -> list[dict[str, Any]]:
        """All that readers have told."""
        lines = [
            line
            for file in self.place.glob("reader*")
            if file.suffix != ".out"
            for line in file.read_text().splitlines(keepends=True)
        ]
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def found(self) -> Counter[str]:
        """The verdicts so far."""
        return verdicts(self.reads(), self.written)

    def retention(self, table: str) -> dict[str, str]:
        """The properties that flashback changes."""
        found = {row[0]: row[1] for row in self.sql(f"show tblproperties @.{table}")}
        return {key: found[key] for key in found if "Retention" in key}


@pytest.fixture
def scene(server: ThriftServer, tmp_path: Path) -> Iterator[Scene]:
    """Two tables that flashback keeps readable."""
    scene = Scene(server.port, tmp_path)
    scene.sql("set time zone 'UTC'")
    scene.sql("create schema @")
    invocation(scene.session, SCHEMA, True)("_ensure_flashback_state")
    for table in TABLES:
        scene.sql(
            f"create table @.{table} using delta"
            f" tblproperties ('delta.deletedFileRetentionDuration' = '{KEPT}')"
            " as select cast(id as int) as id, 0 as n from range(6)"
        )
        scene.note(table, dict.fromkeys(range(6), 0), scene.session)
        scene.sql(
            "insert into @_mview.mview_refresh_info (mview_id, target_version)"
            f" values ('spark_catalog.{SCHEMA}.{table}', 0)"
        )
    yield scene
    scene.over.set()
    for schema in ("@", "@_mview"):
        scene.sql(f"drop schema if exists {schema} cascade")


def test_all_at_once(scene: Scene) -> None:
    """Whatever the switch and VACUUM do: the rows of the time, or a named error."""
    threads = [
        *(scene.goes_on(lambda *at, t=t: scene.write(t, *at), f"writer {t}") for t in TABLES),
        scene.goes_on(scene.keep, "keeper"),
        scene.goes_on(scene.turn, "switch"),
        scene.goes_on(scene.vacuum, "vacuum"),
    ]
    readers = {number: scene.reader(f"reader{number}") for number in range(2)}
    killed = 0
    try:
        begun = time.monotonic()
        while not scene.failed and (
            (lasted := time.monotonic() - begun) < SECONDS
            or (lasted < AT_MOST and scene.found()["right"] < ENOUGH)
        ):
            time.sleep(LIVES)
            # In the middle of whatever it does; another one goes on.
            number = killed % 2
            readers[number].kill()
            readers[number].wait()
            killed += 1
            readers[number] = scene.reader(f"reader{number}_{killed}")
    finally:
        scene.over.set()
        for process in readers.values():
            process.kill()
            process.wait()
        for thread in threads:
            thread.join()
    found = scene.found()
    commits = {table: len(scene.written[table].times) for table in TABLES}
    seen = f"{dict(found)}, {killed} killed, {scene.switched} switches, commits {commits}"
    print(seen)  # noqa: T201
    assert scene.failed == []
    assert set(found) <= {"right", "either", *NAMED.values()}, found
    assert found["right"] >= ENOUGH and killed >= 3 and scene.switched >= 4
    assert min(commits.values()) >= 10, seen

    # A lease that is over is over; with the switch off nothing of it stays.
    time.sleep(LEASE + 1)
    live = "select count(*) from @_mview.mview_flashback_readers where until > current_timestamp()"
    assert scene.sql(live)[0][0] == 0
    invocation(scene.session, SCHEMA, False).operation("mview_trackpoint_clean")
    assert scene.sql("select * from @_mview.mview_trackpoints") == []
    for table in TABLES:
        assert scene.retention(table) == {"delta.deletedFileRetentionDuration": KEPT}
    # Who reads next sweeps what the killed have left.
    assert "rows" in read(scene.session, SCHEMA, "a", time.time() - 1, True)
    assert scene.sql("select * from @_mview.mview_flashback_readers") == []
