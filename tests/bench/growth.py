"""FAST after the same number of changed rows, in tables of different sizes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import Times, in_turn
from tests.bench.verify import verify
from tests.bench.views import LABELS, query

ROWS = 6000
LINES = 6_000_000  # per scale factor


def compare(bench: Bench) -> Iterator[Result]:
    """Every view and layout, at the smallest and at the greatest scale of this run."""
    if len(bench.tpch) < 2:
        bench.tell("growth: takes two scales, such as --scale 1 --scale 10")
        return
    small, large = min(bench.tpch), max(bench.tpch)
    for layout in bench.choice.layouts:
        times = {}
        for scale in (small, large):
            times[scale] = measure(bench, scale, layout)
            yield from verify(bench, scale, layout, {view: ["fast"] for view in bench.choice.views})
        for view in bench.choice.views:
            ours, theirs = times[large][view], times[small][view]
            label = f"FAST, {ROWS} lines {layout}, {LABELS[view]}"
            side, against = f"fast at SF{large:g}", f"fast at SF{small:g}"
            yield Result("growth", label, large, side, against, ours, theirs, 1.5)


def measure(bench: Bench, scale: float, layout: str) -> Times:
    """Seconds of FAST of each view."""
    changes = bench.begin(scale, layout)
    for view in bench.choice.views:
        bench.models(view, query(view, bench.project.schema, bench.tpch[scale]), "fast")
    bench.run()
    percent = 100 * ROWS / (LINES * scale)
    return in_turn(
        {view: bench.runs(f"{view}_fast") for view in bench.choice.views},
        bench.choice.rounds,
        partial(changes.make, layout, percent),
        each=False,
    )
