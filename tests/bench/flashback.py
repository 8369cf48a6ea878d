"""Reading, comparing and restoring what was, beside Delta's own statements.

What is no dbt command here is the macros on the session without dbt, so that a time is what the
statements of a call take. Operations on a view are dbt's, above an operation that asks nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import Times, above, in_turn, timed
from tests.support.on_spark import on_spark, relation
from tests.unit.kit.harness import Dbt, Model

TABLES = 20
ROWS = 1_000_000
THREADS = 4
SECONDS = 10.0  # of a writer beside a track point
FLAG = {"meta": {"dbt_mview": {"flashback": True}}}
ON = {"dbt_mview:flashback_enable": True}
FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"


def compare(bench: Bench) -> Iterator[Result]:
    """Tables of a row, of which twenty are registered, and a table and a view of a million."""
    bench.begin(min(bench.tpch))
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda name: begin(bench, name), names()))
        time.sleep(0.1)
        ((moment,),) = bench.project.sql("select cast(current_timestamp() as string)")
        bench.status("as_of")
        change(bench, pool)  # so that the time is before the newest commit
        yield from reads(bench, moment)
        bench.status("track points")
        yield from points(bench, lambda: change(bench, pool))
    # Before there are more tables that track points hold.
    bench.status(f"a writer for {SECONDS:g} s, in turn")
    yield throughput(bench)
    bench.status(f"differences of {ROWS} rows")
    yield from differences(bench)
    bench.status(f"restores of {ROWS} rows")
    yield from restores(bench)


def names() -> list[str]:
    """Of the registered tables."""
    return [f"t{number}" for number in range(TABLES)]


def begin(bench: Bench, name: str) -> None:
    """A table with one commit of rows."""
    bench.project.sql(f"create table @.{name} using delta as select 1 as id")


def change(bench: Bench, pool: ThreadPoolExecutor) -> None:
    """A commit on each table, which the next track point sees: it is of two seconds ago."""
    list(pool.map(bench.project.sql, [f"insert into @.{name} values (2)" for name in names()]))
    time.sleep(2.1)


def invocation(bench: Bench) -> Dbt:
    """The macros, as one run has them."""
    schema = bench.project.schema
    models = [Model(name, schema=schema, materialized="table", config=FLAG) for name in names()]
    return on_spark(bench.project.spark, schema, *models)


# Reads


def reads(bench: Bench, moment: str) -> Iterator[Result]:
    """What a call of `as_of` adds to a read, and the whole read beside Delta's own clause."""
    calls: Times = {"first": [], "further": [], "again": []}
    whole: Times = {"as_of": [], "raw": []}
    statements: dict[str, int] = {}
    for turn in range(-1, bench.choice.rounds):
        dbt = invocation(bench)
        # Tables of their own, so that none finds in memory what the other has read.
        for side, name in (("first", "t0"), ("further", "t1"), ("again", "t1")):
            before, sql = len(dbt.engine.log), ""

            def call(dbt: Dbt = dbt, name: str = name) -> None:
                nonlocal sql
                sql = dbt("as_of", relation(bench.project.schema, name), moment)

            took = timed(call)
            statements[side] = len(dbt.engine.log) - before
            read = timed(partial(bench.project.sql, f"select count(*) from {sql}"))
            if turn >= 0:
                calls[side].append(took)
                whole["as_of"] += [took + read] if side == "further" else []
        clause = f"select count(*) from @.t2 timestamp as of '{moment}'"
        raw = timed(partial(bench.project.sql, clause))
        whole["raw"] += [raw] if turn >= 0 else []
        dbt("_release_reader")
    for side, what, limit, goal in (
        ("further", "of a table that this run has not read yet", 0.35, 1.0),
        ("again", "of the same table and time again", 0.02, 1.0),
        ("first", "that is the first of a run: its clock, state, and who reads", 0.35, None),
    ):
        note = f"{statements[side]} statements"
        yield Result(
            "flashback", f"a call of as_of {what}", 0, "as_of", f"{limit:g} s", calls[side],
            [limit], goal, note=note,
        )  # fmt: skip
    yield Result(
        "flashback", "a read at a time, with what as_of asks", 0, "as_of", "raw TIMESTAMP AS OF",
        whole["as_of"], whole["raw"],
    )  # fmt: skip


# Track points


def points(bench: Bench, changed: Callable[[], object]) -> Iterator[Result]:
    """A track point, beside the statements that it cannot do without, and what status takes."""
    times = in_turn(
        {"create": lambda: create(bench), "bare": lambda: bare(bench)},
        bench.choice.rounds,
        changed,
        each=False,
    )
    quiet = in_turn({"create": lambda: create(bench)}, bench.choice.rounds, partial(time.sleep, 1))
    status = in_turn(
        {"status": lambda: invocation(bench).operation("mview_flashback_status")},
        bench.choice.rounds,
    )
    ((rows, made),) = bench.project.sql(
        "select count(*), count(distinct trackpoint_time) from @_mview.mview_trackpoints"
    )
    size = stored(bench) / made
    note = f"state holds {rows} rows of {made}, with its log {size / 1024:.0f} KiB each"
    label = f"track point of {TABLES} tables"
    yield Result(
        "flashback", f"{label}, all changed", 0, "mview_trackpoint_create", "bare statements",
        times["create"], times["bare"], note=note,
    )  # fmt: skip
    yield Result(
        "flashback", f"{label}, none changed", 0, "mview_trackpoint_create", "bare statements",
        quiet["create"], times["bare"],
    )  # fmt: skip
    yield Result(
        "flashback", f"status of {TABLES} tables", 0, "mview_flashback_status", "1 s",
        status["status"], [1.0], 1.0,
    )  # fmt: skip


def create(bench: Bench) -> None:
    """A track point."""
    (said,) = invocation(bench).operation("mview_trackpoint_create")
    assert f" of {TABLES} tables changed" in said, said


def bare(bench: Bench) -> None:
    """What a track point cannot do without: the newest version of each table, and one insert."""
    sql = bench.project.sql
    rows = [(name, sql(f"describe history @.{name} limit 1")[0].version) for name in names()]
    sql("create table if not exists @.bare (name string, version bigint) using delta")
    sql(f"insert into @.bare values {', '.join(map(str, rows))}")


def stored(bench: Bench) -> int:
    """The bytes of the table of track points, with those of its log."""
    (place,) = bench.project.sql("describe detail @_mview.mview_trackpoints")
    files = Path(place.location.removeprefix("file:")).rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def throughput(bench: Bench) -> Result:
    """How long a commit of a busy writer takes while a track point is made, one in ten seconds."""
    took: Times = {"without": [], "with": []}
    bench.project.sql("create table @.busy using delta as select 1 as id")
    with ThreadPoolExecutor(1) as pool:
        for turn in range(bench.choice.rounds):
            for side in ("without", "with") if turn % 2 else ("with", "without"):
                beside = pool.submit(create, bench) if side == "with" else None
                began, commits = time.perf_counter(), 0
                while time.perf_counter() - began < SECONDS:
                    bench.project.sql("insert into @.busy values (1)")
                    commits += 1
                took_all = time.perf_counter() - began
                if beside:
                    beside.result()
                took[side].append(took_all / commits)
    return Result(
        "flashback",
        f"a commit of a writer, a track point of {TABLES} tables each {SECONDS:g} s",
        0,
        "with",
        "without",
        took["with"],
        took["without"],
        1.05,
    )


# Differences


def differences(bench: Bench) -> Iterator[Result]:
    """A thousandth of the rows changed in two commits: by the feed, and by all rows."""
    sql, schema = bench.project.sql, bench.project.schema
    values = f"id, id % 97 as k, cast(id as string) as text from range({ROWS})"
    sql(f"create table @.large {FEED} as select {values}")
    for rest in (0, 1):
        sql(f"update @.large set k = k + 1 where id % 2000 = {rest}")
    found: dict[str, int] = {}

    def count(side: str, query: str) -> None:
        found[side] = sql(f"select count(*) from {query}")[0][0]

    def ours(feed: bool) -> str:
        dbt = invocation(bench)
        query: str = dbt("diff", relation(schema, "large"), 0, 2, feed=feed)
        return query

    times = in_turn(
        {
            "feed": lambda: count("feed", ours(True)),
            "all": lambda: count("all", ours(False)),
            "raw": lambda: count("raw", f"table_changes('{schema}.large', 1, 2)"),
        },
        bench.choice.rounds,
    )
    assert found == dict.fromkeys(found, ROWS // 1000 * 2), found
    label = f"diff of {ROWS} rows, 0.1 % changed"
    for against, what, goal in (("all", "EXCEPT ALL", 0.1), ("raw", "raw table_changes", None)):
        yield Result(
            "flashback", f"{label}, by the feed", 0, "diff", what, times["feed"], times[against],
            goal,
        )  # fmt: skip


# Restores


def restores(bench: Bench) -> Iterator[Result]:
    """A view taken back and forth, beside its COMPLETE and Delta's RESTORE of the same rows."""
    project = bench.project
    values = f"id, id % 97 as k, cast(id as string) as text from range({ROWS})"
    project.sql(f"create table @.base using delta as select {values}")
    project.forget()
    project.configure(vars=ON)
    project.model("whole", f"select * from {project.schema}.base", refresh="complete")
    bench.run("whole")
    project.sql("create table @.copied using delta as select * from @.base")
    project.sql("update @.base set k = k + 1")
    project.sql("insert overwrite @.copied select * from @.base")
    bench.run("whole")
    turns = {"restore": 0, "raw": 0}

    def version(side: str) -> int:
        turns[side] += 1
        return turns[side] % 2

    def restore() -> None:
        project.op("mview_restore", view="whole", version=version("restore"), hold=False)

    times = in_turn(
        {
            "restore": restore,
            "complete": lambda: project.op("mview_refresh", view="whole", method="complete"),
            "raw": lambda: project.sql(f"restore table @.copied version as of {version('raw')}"),
            "nothing": lambda: project.op("mview_plan", times={}),
        },
        bench.choice.rounds,
    )
    note = f"an operation that asks nothing takes {median(times['nothing']):.2f} s"
    ours = above(times["restore"], times["nothing"])
    complete = above(times["complete"], times["nothing"])
    label = f"restore of a view of {ROWS} rows, above an empty operation"
    for what, theirs, goal in (
        ("COMPLETE of it", complete, 1.2),
        ("raw RESTORE", times["raw"], None),  # which has no token, and no sources
    ):
        yield Result("flashback", label, 0, "mview_restore", what, ours, theirs, goal, note=note)
