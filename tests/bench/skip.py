"""A refresh with nothing to do, beside building anew and beside a model that does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import above, in_turn
from tests.bench.views import LABELS, query

SECONDS = 0.5


def compare(bench: Bench) -> Iterator[Result]:
    """Each view, after a run that left nothing to do."""
    for scale, tpch in bench.tpch.items():
        bench.begin(scale)
        bench.project.model("empty", "select 1 as id", materialized="view")
        for name in bench.choice.views:
            bench.models(name, query(name, bench.project.schema, tpch), "auto", "table")
        bench.run()
        for name in bench.choice.views:
            times = in_turn(
                {
                    "skip": lambda view=f"{name}_auto": assert_skip(bench, view),
                    "table": bench.runs(f"{name}_table"),
                    "empty": bench.runs("empty"),
                },
                bench.choice.rounds,
            )
            label = f"skip, {LABELS[name]}"
            ours, theirs, empty = times["skip"], times["table"], median(times["empty"])
            rest = above(ours, times["empty"])
            goal = 0.1 if scale >= 1 else None
            yield Result("skip", f"{label}, whole run", scale, "mview", "table", ours, theirs)
            yield Result(
                "skip",
                f"{label}, above an empty run",
                scale,
                "mview",
                "table",
                rest,
                [one - empty for one in theirs],
                goal,
                note=f"a run of one empty view takes {empty:.2f} s",
            )
            yield Result(
                "skip",
                f"{label}, above an empty run",
                scale,
                "mview",
                f"{SECONDS} s",
                rest,
                [SECONDS],
                1.0,
            )


def assert_skip(bench: Bench, name: str) -> None:
    """Run a view that has nothing to do."""
    said = bench.run(name).text(name)
    assert said.startswith("SKIP"), said
