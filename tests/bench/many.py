"""Twenty tiny views on four threads, beside the same run with `table`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import in_turn

VIEWS = 20
SIDES = ("complete", "table")


def compare(bench: Bench) -> Iterator[Result]:
    """One comparison: the views are as tiny at every scale."""
    scale = next(iter(bench.tpch))
    bench.begin(scale)
    bench.project.sql("create table @.tiny using delta as select 1 as id")
    names: dict[str, list[str]] = {side: [] for side in SIDES}
    for index in range(VIEWS):
        text = f"select id, {index} as n from {bench.project.schema}.tiny"
        for side, model in zip(SIDES, bench.models(f"tiny_{index}", text, *SIDES), strict=True):
            names[side].append(model)
    bench.run()
    times = in_turn(
        {side: bench.runs(*names[side]) for side in SIDES},
        bench.choice.rounds,
        partial(bench.project.sql, "update @.tiny set id = id + 1"),
    )
    label = f"{VIEWS} tiny views, 4 threads"
    yield Result("many", label, scale, "mview", "table", times["complete"], times["table"], 2.0)
