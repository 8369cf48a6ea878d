"""What a small view costs beside a `table`, an unchanged one beside nothing, and a cold process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench import cold
from tests.bench.floor import THREADS, Bare
from tests.bench.many import VIEWS
from tests.bench.results import Result
from tests.bench.setup import SIDES, Bench
from tests.bench.skip import assert_skip
from tests.bench.timing import Times, above, in_turn
from tests.support.project import Project

COMPLETE = (
    "insert into @.{view} replace where 1 = 1 select k, sum(v) as total, count(*) as n from @.src"
    " group by k union all select null, null, null where {guard}"
)
# What the statements alone take, with less and less of the protocol.
FLOORS = {
    "bare": "bare statements",
    "lock": "its lock is a view",
    "once": "its lock is a view and its end one commit",
}
# What FAST adds up, by hand.
SUMS = """
merge into @.{view} as t
using (
    select k, sum(sign * v) as total, sum(sign) as n
    from (
        select *, if(_change_type in ('insert', 'update_postimage'), 1, -1) as sign
        from table_changes('@.src', {first}, {last})
    )
    group by k
    union all
    select null, null, null where {guard}
) as s
on t.k = s.k
when matched and t.n + s.n = 0 then delete
when matched then update set total = t.total + s.total, n = t.n + s.n
when not matched then insert *
"""
BY_HAND = {"complete": COMPLETE, "fast": SUMS}


class Lighter(Bare):
    """The same protocol with a lock that is a view in the metastore, and with one commit less."""

    locks = 0

    def as_said(self, what: str, view: str) -> None:
        """One refresh.

        Args:
            what: one of FLOORS, and complete or fast.
            view: of it.
        """
        floor, side = what.split()
        if floor == "bare":
            self.refresh(view, "src", BY_HAND[side])
        else:
            self.refresh_by_view(view, "src", BY_HAND[side], once=floor == "once")

    def refresh_by_view(self, view: str, source: str, statement: str, *, once: bool) -> None:
        """A refresh whose lock no file holds.

        Args:
            view: of it.
            source: a table that it reads.
            statement: that publishes.
            once: its end is one commit, without a row of history.
        """
        versions = self.versions(view, self.look(view, source))
        self.locks += 1
        lock = f"@_mview.bare_lock_{self.locks}"
        self.sql(f"create view {lock} as select 'bare' as job_id, {self.locks} as token")
        held = f"(select job_id from {lock}) = 'bare'"
        guard = f"case when {held} then false else raise_error('lock lost') end"
        self.sql(statement.format(view=view, guard=guard, **versions))
        if once:
            self.end(view)
        else:
            self.record(view)
        self.sql(f"drop view {lock}")


def compare(bench: Bench) -> Iterator[Result]:
    """A view of a thousand groups, twenty of one row, both as they rest, and new processes."""
    scale = min(bench.tpch)
    bench.begin(scale)
    yield from one_view(bench, scale)
    bench.begin(scale)
    yield from twenty(bench, scale)
    bench.status("new processes")
    yield from first(bench, scale)


def one_view(bench: Bench, scale: float) -> Iterator[Result]:
    """COMPLETE, FAST, AUTO and a skip of one view, beside `table` and bare statements."""
    project = bench.project
    project.sql(cold.source())
    project.sql("create table @.calm using delta as table @.src")
    text = cold.QUERY.format(schema=project.schema)
    for side in ("table", "complete", "fast", "auto"):
        project.model(f"one_{side}", text, **SIDES[side], **cold.KEYED)
    project.model("calm_auto", text.replace(".src", ".calm"), refresh="auto")
    project.model("empty", "select 1 as id", materialized="view")
    # What is written by hand has views of its own: those of the package would look altered.
    by_hand = {f"{floor} {side}": f"{floor}_{side}" for floor in FLOORS for side in BY_HAND}
    for what, name in by_hand.items():
        project.model(name, text, **SIDES[what.split()[1]], **cold.KEYED)
    bench.run()
    bare = Lighter(bench, "src")
    sides = ("complete", "fast", "auto")
    times = in_turn(
        {
            "nothing": bench.runs("nothing_is_called_so"),
            "empty": bench.runs("empty"),
            "table": bench.runs("one_table"),
            **{side: bench.runs(f"one_{side}") for side in sides},
            "skip": partial(assert_skip, bench, "calm_auto"),
            **{what: partial(bare.as_said, what, name) for what, name in by_hand.items()},
            "bare skip": lambda: bare.skip("calm_auto", "calm"),
        },
        bench.choice.rounds,
        partial(project.sql, cold.CHANGE),
        each=False,
    )
    for what, name in by_hand.items():
        theirs = f"one_{what.split()[1]}"
        differ = project.sql(f"table @.{name} except all table @.{theirs}")
        assert not differ, f"{what} by hand is wrong"
    table, empty = times["table"], median(times["empty"])
    rest = above(times["skip"], times["nothing"])
    note = f"dbt with nothing to do takes {median(times['nothing']):.2f} s"
    skip = "a skip, above dbt with nothing to do"
    yield Result("small", skip, scale, "mview", "0.35 s", rest, [0.35], 1.0, note=note)
    alone = times["bare skip"]
    yield Result("small", f"{skip}: {FLOORS['bare']}", scale, "bare", "0.35 s", alone, [0.35])
    for side, goal in (("complete", 1.8), ("fast", 2.2)):
        yield Result(
            "small", f"{side.upper()} of one small view", scale, "mview", "table", times[side],
            table, goal,
        )  # fmt: skip
        for bare_side, what in FLOORS.items():
            yield Result(
                "small", f"{side.upper()} of one small view: {what}, and an empty run", scale,
                "bare", "table", [one + empty for one in times[f"{bare_side} {side}"]], table,
            )  # fmt: skip
    better = min(sides[:2], key=lambda side: median(times[side]))
    yield Result(
        "small", "AUTO of one small view", scale, "mview", f"better: {better}", times["auto"],
        times[better], 1.1,
    )  # fmt: skip


def twenty(bench: Bench, scale: float) -> Iterator[Result]:
    """Twenty views of one row, that are built anew and that rest, beside twenty tables."""
    project = bench.project
    for name in ("tiny", "still"):
        project.sql(f"create table @.{name} using delta as select 1 as id")
    names: dict[str, list[str]] = {"complete": [], "table": [], "skip": [], "bare": []}
    kinds = {"skip": "auto", "bare": "complete"}
    for index in range(VIEWS):
        for side in names:
            source = "still" if side == "skip" else "tiny"
            name = f"{side}_{index}"
            text = f"select id, {index} as n from {project.schema}.{source}"
            project.model(name, text, **SIDES[kinds.get(side, side)])
            names[side].append(name)
    project.model("empty", "select 1 as id", materialized="view")
    bench.run()
    bare = Bare(bench, "tiny")
    plain = "insert into @.{view} replace where 1 = 1 select id, 0 as n from @.tiny"
    guarded = plain + " union all select null, null where {guard}"

    def floor() -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            publish = partial(bare.publish, source="tiny", statement=guarded)
            list(pool.map(publish, names["bare"]))
        bare.record(*names["bare"])

    sides = {side: bench.runs(*names[side]) for side in ("complete", "table", "skip")}
    times = in_turn(
        {**sides, "bare": floor, "empty": bench.runs("empty")},
        bench.choice.rounds,
        partial(project.sql, "update @.tiny set id = id + 1"),
        each=False,
    )
    cell, table, empty = f"{VIEWS} tiny views, {THREADS} threads", times["table"], times["empty"]
    for side, what, goal in (("complete", "COMPLETE", 1.5), ("skip", "which rest", 0.15)):
        took = times[side]
        yield Result("small", f"{cell}, {what}", scale, "mview", "table", took, table, goal)
    yield Result(
        "small", f"{cell}, COMPLETE: {FLOORS['bare']}, and an empty run", scale, "bare", "table",
        [one + median(empty) for one in times["bare"]], table,
    )  # fmt: skip


def first(bench: Bench, scale: float) -> Iterator[Result]:
    """The first refresh of a process, whose JVM is new; all sides take turns."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        project = Project(home / "project", cold.SCHEMA)
        for side in ("table", "complete", "fast"):
            text = cold.QUERY.format(schema=cold.SCHEMA)
            project.model(f"one_{side}", text, **SIDES[side], **cold.KEYED)
        cold.seconds(home)
        shutil.rmtree(home / "project" / "logs", ignore_errors=True)
        times: Times = in_turn_of_processes(bench, home)
    for side, goal in (("complete", 2.0), ("fast", 3.0)):
        yield Result(
            "small", f"the first refresh of a process, {side.upper()}", scale, "mview", "table",
            times[side], times["table"], goal,
        )  # fmt: skip


def in_turn_of_processes(bench: Bench, home: Path) -> Times:
    """Seconds of each side, one process each; there is nothing to warm up."""
    times: Times = {"table": [], "complete": [], "fast": []}
    for turn in range(bench.choice.rounds):
        names = list(times)
        for side in names[turn % 3 :] + names[: turn % 3]:
            times[side].append(cold.seconds(home, f"one_{side}"))
    return times
