"""What is due among ten thousand views: `mview_due` beside an operation that asks nothing."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import above, in_turn

VIEWS = 10_000
DUE = 20
SECONDS = 2.0


def compare(bench: Bench) -> Iterator[Result]:
    """One state table with so many plans, of which a few are due."""
    bench.begin(min(bench.tpch))
    bench.project.model("planned", "select 1 as id", schedule={"every": "1 day"})
    bench.run("planned")
    bench.status(f"{VIEWS} plans")
    bench.project.sql(
        "insert into @_mview.mview_refresh_info"
        " (mview_id, definition, schedule, next_time, last_refresh_result, lock_token)"
        " select concat('spark_catalog.elsewhere.v', id), repeat('select 1 ', 100),"
        f" '{{\"every\": 3600}}', current_timestamp() + if(id < {DUE}, -1, 1) * interval 1 hour,"
        f" 'success', 1 from range({VIEWS})"
    )
    times = in_turn(
        {
            "due": lambda: assert_due(bench),
            "nothing": lambda: bench.project.op("mview_plan", times={}),
        },
        bench.choice.rounds,
    )
    nothing = median(times["nothing"])
    label = f"mview_due, {DUE} of {VIEWS} views"
    note = f"an operation that asks nothing takes {nothing:.2f} s"
    due = times["due"]
    rest = above(due, times["nothing"])
    for what, ours in (("whole operation", due), ("above an empty one", rest)):
        yield Result(
            "due", f"{label}, {what}", 0, "mview_due", f"{SECONDS:g} s", ours, [SECONDS], 1.0,
            note=note,
        )  # fmt: skip


def assert_due(bench: Bench) -> None:
    """Ask what is due."""
    found = bench.project.op("mview_due").log.count("of another project")
    assert found == DUE, found
