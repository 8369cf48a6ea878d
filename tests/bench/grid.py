"""FAST and AUTO beside all else: views, shares of the rows that change, where they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
from statistics import median

from tests.bench import by_hand
from tests.bench.commits import count, small
from tests.bench.results import Result
from tests.bench.setup import SIDES as OURS
from tests.bench.setup import Bench
from tests.bench.stream import BATCHES, Stream
from tests.bench.timing import Action, Times, in_turn
from tests.bench.verify import verify, wrong_rows
from tests.bench.views import LABELS, query

BY_HAND = ("incremental", "naive", "stream")
SIDES = (*OURS, *BY_HAND)
# (view, layout): how FAST has to compare with `table` at SF10 where 0.1 percent changed.
FAST_GOALS = {
    ("suppliers", "scattered"): 0.2,
    ("suppliers", "localised"): 0.15,
    ("suppliers", "rewritten"): 0.2,
    ("customers", "localised"): 0.33,
}
# The same at SF30: what a refresh costs whatever changed is a smaller part of it.
FAST_GOALS_AT_30 = {("suppliers", "localised"): 0.08}
# What runs alike still differs by a few percent from run to run.
NEVER_SLOWER = 1.05
NEAR_THE_BETTER = 1.1


def compare(bench: Bench) -> Iterator[Result]:
    """Each layout of changes in turn, on tables as they were loaded."""
    for scale, layout in product(bench.tpch, bench.choice.layouts):
        yield from one_layout(bench, scale, layout)


def one_layout(bench: Bench, scale: float, layout: str) -> Iterator[Result]:
    """All views and percentages, the small ones first."""
    changes = bench.begin(scale, layout)
    said: dict[str, str] = {}
    sides = {view: sides_of(bench, view, bench.tpch[scale], said) for view in bench.choice.views}
    actions = {f"{view}_{side}": action for view in sides for side, action in sides[view].items()}
    bench.status(f"SF {scale:g}, {layout}: first build and what is not counted")
    bench.run()
    for turn, percent in enumerate(sorted(bench.choice.percents)):
        before = partial(changes.make, layout, percent)
        warm_up = bench.choice.learn if turn else bench.choice.warm_up
        times = in_turn(actions, bench.choice.rounds, before, each=False, warm_up=warm_up)
        for view in sides:
            took = {side: times[f"{view}_{side}"] for side in sides[view]}
            note = said.get(view, "")
            yield from results(Cell(view, percent, layout, scale), took, note)
            if "naive" in took:
                yield wrong_rows(bench, view, "naive", scale, f"{percent:g} % {layout}")
    yield from verify(bench, scale, layout, sides)
    if "fast" in (bench.choice.sides or SIDES) and layout == bench.choice.layouts[0]:
        changes.make(layout, min(bench.choice.percents))
        commits: Counter[str] = count(bench.project)
        bench.run(f"{bench.choice.views[0]}_fast")
        yield small("FAST", scale, commits, count(bench.project))


def sides_of(bench: Bench, view: str, tpch: str, said: dict[str, str]) -> dict[str, Action]:
    """Write the models of one view. Returns what refreshes each side.

    Args:
        bench: the run.
        view: its name.
        tpch: where the tables are that do not change.
        said: gets what AUTO says of its last refresh, by view.
    """
    wanted = [side for side in SIDES if side in (bench.choice.sides or SIDES)]
    wanted = [side for side in wanted if side in OURS or view in BATCHES]
    text = query(view, bench.project.schema, tpch)
    bench.models(view, text, *(side for side in wanted if side in OURS))
    if view in BATCHES:
        by_hand.models(bench, view, tuple(wanted))
    found: dict[str, Action] = {side: bench.runs(f"{view}_{side}") for side in wanted}
    if "auto" in found:
        found["auto"] = partial(run_auto, bench, view, said)
    if "stream" in found:
        found["stream"] = Stream(bench.project, view, tpch).run
    return found


def run_auto(bench: Bench, view: str, said: dict[str, str]) -> None:
    """Refresh as the package sees fit, and note what it did."""
    text = bench.run(f"{view}_auto").text(f"{view}_auto")
    reason = text.partition("not FAST: ")[2].partition(":")[0]
    said[view] = f"AUTO: {text.split()[0]}{f', {reason}' if reason else ''}"


class Cell:
    """One cell of the grid."""

    def __init__(self, view: str, percent: float, layout: str, scale: float) -> None:
        self.view, self.percent, self.layout, self.scale = view, percent, layout, scale
        self.label = f"{LABELS[view]}, {percent:g} % {layout}"
        self.promised = scale >= 10 and percent == 0.1

    def result(
        self, ours: str, theirs: str, times: Times, goal: float | None, note: str = ""
    ) -> Result:
        """One side against another."""
        label, scale = self.label, self.scale
        return Result(
            "grid", label, scale, ours, theirs, times[ours], times[theirs], goal, "s", note
        )


def results(cell: Cell, times: Times, note: str) -> Iterator[Result]:
    """What is compared in one cell, as far as its sides were asked for."""
    if {"fast", "table"} <= set(times):
        which = (cell.view, cell.layout)
        goals = {**FAST_GOALS, **(FAST_GOALS_AT_30 if cell.scale >= 30 else {})}
        goal = goals.get(which) if cell.promised else None
        yield cell.result("fast", "table", times, goal)
    if {"fast", "complete"} <= set(times):
        yield cell.result("fast", "complete", times, None)
    near = NEAR_THE_BETTER if cell.scale >= 1 else None
    if {"auto", "complete"} <= set(times):
        scattered_join = cell.view == "customers" and cell.layout != "localised"
        # Without FAST (Delta cannot read every change), COMPLETE is the better.
        goal = None if "fast" in times else near
        goal = NEVER_SLOWER if cell.promised and scattered_join else goal
        yield cell.result("auto", "complete", times, goal, note)
    if {"auto", "complete", "fast"} <= set(times):
        better = min(("complete", "fast"), key=lambda side: median(times[side]))
        named = {"auto": times["auto"], f"better: {better}": times[better]}
        yield cell.result("auto", f"better: {better}", named, near, note)
    if {"fast", "incremental"} <= set(times):
        goal = 1.0 if cell.promised else None
        yield cell.result("fast", "incremental", times, goal)
    for other in ("naive", "stream"):
        if {"fast", other} <= set(times):
            yield cell.result("fast", other, times, None)
