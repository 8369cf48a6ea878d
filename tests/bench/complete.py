"""COMPLETE beside dbt-spark's `table`: the whole run, reading what came of it, and commits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.bench.commits import count, small
from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import in_turn
from tests.bench.views import LABELS, query

SIDES = ("complete", "table")
# Reads are quick: more of them make their median firm.
READS = 7


def compare(bench: Bench) -> Iterator[Result]:
    """After a change of the sources, for each view."""
    for scale, tpch in bench.tpch.items():
        changes = bench.begin(scale)
        for name in bench.choice.views:
            bench.models(name, query(name, bench.project.schema, tpch), *SIDES)
        bench.run()
        for name in bench.choice.views:
            sides = {side: bench.runs(f"{name}_{side}") for side in SIDES}
            times = in_turn(
                sides, bench.choice.rounds, partial(changes.make, "localised", 0.01), each=False
            )
            label = f"COMPLETE, {LABELS[name]}"
            goal = 1.05 if scale >= 10 else None
            yield result(label, scale, times, goal)
            times = in_turn({side: reads(bench, name, side) for side in SIDES}, READS)
            yield result(f"reading, {LABELS[name]}", scale, times, 1.0)
        changes.make("localised", 0.01)
        before = count(bench.project)
        bench.run(f"{bench.choice.views[0]}_complete")
        yield small("COMPLETE", scale, before, count(bench.project))


def result(label: str, scale: float, times: dict[str, list[float]], goal: float | None) -> Result:
    """One comparison of the two sides."""
    return Result(
        "complete", label, scale, "mview", "table", times["complete"], times["table"], goal
    )


def reads(bench: Bench, name: str, side: str) -> partial[object]:
    """Reads all of a result: every row, every column."""
    text = f"select count(*), bit_xor(xxhash64(*)) from @.{name}_{side}"
    return partial(bench.project.sql, text)
