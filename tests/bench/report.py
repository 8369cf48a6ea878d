"""Puts the results of the bench together: docs/benchmarks.md, docs/benchmarks-all.md, pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

import click

from tests.bench.chart import chart, panels_of
from tests.bench.curve import curves
from tests.bench.picture import picture
from tests.bench.results import Result, Run, newest, read, results_of, write
from tests.bench.then import HEADS, stands_above, then_and_now

ROOT = Path(__file__).resolve().parents[2]
NOTES = Path(__file__).with_name("notes.md")
KEPT = Path(__file__).with_name("measured")
INTRO = """# Benchmarks

How long a refresh takes beside dbt-spark's `table` and beside what people write by hand, on TPC-H.
All sides of a comparison take turns in one process, on the same changes, after a warm-up. The
numbers are medians, and a ratio is our time divided by the other one: below 1, ours is quicker.
[benchmarks-all.md](benchmarks-all.md) has every number, run and machine.

![Seconds of one refresh](benchmarks.svg)
"""
INTRO_OF_ALL = """# All that was measured

What [benchmarks.md](benchmarks.md) summarizes. Each side is timed from before `dbt run` to after it
(the stream: from its start to its end). The data is TPC-H by tpchgen-cli. `make bench SCALE=1`
measures, `make bench-report` writes both pages and the pictures from all that was measured: here
(`.bench/measured`) and before (`tests/bench/measured`, to which `python -m tests.bench.report
--keep` adds what was measured here). `tests/bench` is the code.
"""
MORE, OF_RUNS = (
    "## What else to know\n",
    "## Notes on single runs\n",
)  # in NOTES; of the second page
SHOWN = "0.1"  # percent of the rows
COLUMNS = ("table", "complete", "fast", "auto", "incremental", "naive", "stream")
TITLES = {
    "complete": "COMPLETE beside `table`, and reading the result",
    "commits": "Commits of one refresh",
    "skip": "Skip",
    "many": "Many views",
    "small": "Small views, and views at rest",
    "floor": "What no release can go below",
    "due": "What is due",
    "capture": "A capture of a log",
    "purge": "Purge of a log",
    "flashback": "Flashback",
    "upkeep": "A thousand refreshes",
    "curve": "A thousand refreshes, every fifty",
    "growth": "The same number of changes in a larger table",
    "operators": "A view for each row of the rules, 0.1 % of the lines changed",
    "verify": "Right and wrong results",
}


@click.command(help=__doc__)
@click.argument("places", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--docs", default=ROOT / "docs", type=click.Path(path_type=Path))
@click.option("--keep", is_flag=True, help="Keep what was read in tests/bench/measured.")
def main(places: tuple[Path, ...], docs: Path, keep: bool) -> None:
    """Read runs (by default those that were kept and those made here), write the report."""
    places = places or (KEPT, ROOT / ".bench" / "measured")
    runs = newest(run for place in places for run in read(place))
    if not runs:
        raise click.ClickException("nothing was measured yet: make bench")
    if keep:
        write(KEPT, runs)
    notes = NOTES.read_text()
    (docs / "benchmarks.md").write_text(page(runs, notes))
    (docs / "benchmarks-all.md").write_text(report(runs, notes))
    drawings = {"benchmarks.svg": picture, "changed-rows.svg": chart, "upkeep.svg": curves}
    for name, draw in drawings.items():
        if drawn := draw(results_of(runs)):
            (docs / name).write_text(drawn)
    click.echo(f"{docs / 'benchmarks.md'}, all numbers and pictures, from {len(runs)} runs")


def page(runs: list[Run], notes: str) -> str:
    """What most readers want to know, on two screens.

    Args:
        runs: the newest of what was measured.
        notes: what is known about the numbers, kept by hand: what they say, how to read them, what
            else to know, and of single runs.

    Returns:
        Markdown.
    """
    results = results_of(runs)
    heads = ["one refresh, seconds", "table", "COMPLETE", "FAST", "AUTO", "incremental"]
    parts = [INTRO]
    if panels_of(results):
        parts.append("![Seconds of one refresh against changed rows](changed-rows.svg)\n")
    parts.append(notes.partition(MORE)[0].strip() + "\n")
    if shown := list(beside_table(results)):
        parts += ["## Beside `table`\n", lines([*heads, "FAST / table"], shown)]
    if light := list(then_and_now(results)):
        parts += ["## Small, at rest, cold: then and now\n", lines(HEADS, light)]
    if goals := [one for one in results if one.goal is not None and not stands_above(one)]:
        parts += ["## Goals\n", lines(["what is compared", "goal", "met"], met_by_kind(goals))]
    if missed := [one for one in goals if not one.met]:
        parts += ["## Missed\n", lines(["what", "SF", "ratio", "goal"], map(cells_of, missed))]
    return "\n".join(parts).rstrip() + "\n"


def beside_table(results: list[Result]) -> Iterator[list[str]]:
    """The cells of the grid at the two greatest scales of `table`; a chart has the others."""
    grid_of = [one for one in results if one.comparison == "grid"]
    known = {one.scale for one in grid_of if "table" in (one.side, one.against)}
    for (scale, name), cell in sorted(seconds(grid_of).items(), key=lambda one: one[0][0]):
        if "table" in cell and scale in sorted(known)[-2:] and f", {SHOWN} % " in name:
            sides = ("table", "complete", "fast", "auto", "incremental")
            times = [f"{cell[side]:.1f}" if side in cell else "" for side in sides]
            yield [f"{name}, SF{scale:g}", *times, over(cell, "fast", ["table"])]


def met_by_kind(goals: list[Result]) -> Iterator[list[str]]:
    """How many comparisons of each kind met their goal."""
    kinds: dict[tuple[str, str], list[bool]] = {}
    for one in goals:
        against = one.against.partition(":")[0]  # better: fast, better: complete
        title = TITLES.get(one.comparison, "Refresh")
        what = f"{title}: {one.side} / {against}"
        kinds.setdefault((what, f"{one.goal:g}"), []).append(bool(one.met))
    for (what, goal), met in sorted(kinds.items()):
        yield [what, goal, f"{sum(met)} of {len(met)}"]


def cells_of(one: Result) -> list[str]:
    """What was compared, and what came of it."""
    what = f"{one.cell}: {one.side} / {one.against}"
    return [what, f"{one.scale:g}", f"{one.ratio:.2f}", f"{one.goal:g}"]


def report(runs: list[Run], notes: str) -> str:
    """All numbers, runs and machines.

    Args:
        runs: the newest of what was measured.
        notes: as of `page`.

    Returns:
        Markdown.
    """
    results = results_of(runs)
    goals = [one for one in results if one.goal is not None]
    parts = [INTRO_OF_ALL, *machines(runs)]
    parts += ["## Goals\n", lines(["what", "SF", "ratio", "goal", ""], map(goal_cells, goals))]
    how, heading, of_runs = "".join(notes.partition(MORE)[1:]).partition(OF_RUNS)
    parts += [how, *grid(results)]
    for name, title in TITLES.items():
        rows = [one.cells()[:7] + one.cells()[9:] for one in results if one.comparison == name]
        heads = ["what", "SF", "side", "", "against", "", "ratio", "note"]
        parts += [f"## {title}\n", lines(heads, rows)] if rows else []
        parts += ["![Curves](upkeep.svg)\n"] if rows and name == "upkeep" else []
    parts.append(heading + of_runs)
    return "\n".join(parts).rstrip() + "\n"


def goal_cells(one: Result) -> list[str]:
    """One line of the table of goals."""
    return [*cells_of(one), "met" if one.met else "**missed**"]


def grid(results: list[Result]) -> Iterator[str]:
    """Seconds of every side, one line for each cell of the grid, one table for each scale."""
    grid_of = [one for one in results if one.comparison == "grid"]
    cells = seconds(grid_of)
    notes = {(one.scale, one.cell): one.note.removeprefix("AUTO: ") for one in grid_of if one.note}
    for scale in sorted({scale for scale, _ in cells}):
        yield f"## Seconds of one refresh, SF{scale:g}\n"
        sides = [side for side in COLUMNS if any(side in cells[key] for key in cells)]
        heads = ["view, change", *sides, "FAST / table", "AUTO / better", "AUTO did"]
        rows = []
        for key in (key for key in cells if key[0] == scale):
            cell = cells[key]
            times = [f"{cell[side]:.2f}" if side in cell else "" for side in sides]
            ratios = [over(cell, "fast", ["table"]), over(cell, "auto", ["complete", "fast"])]
            rows.append([key[1], *times, *ratios, notes.get(key, "")])
        yield lines(heads, rows)


def seconds(grid_of: list[Result]) -> dict[tuple[float, str], dict[str, float]]:
    """The median of every side, by scale and cell."""
    cells: dict[tuple[float, str], dict[str, float]] = {}
    for one in grid_of:
        cell = cells.setdefault((one.scale, one.cell), {})
        cell |= {one.side: median(one.ours), one.against: median(one.theirs)}
    return cells


def over(cell: dict[str, float], side: str, others: list[str]) -> str:
    """The ratio of a side to the best of others; empty where one was not measured."""
    known = side in cell and all(other in cell for other in others)
    return f"{cell[side] / min(cell[other] for other in others):.2f}" if known else ""


def machines(runs: list[Run]) -> Iterator[str]:
    """What was run, when and where: each machine once."""
    for machine in {tuple(run.machine.items()): None for run in runs}:
        yield "".join(f"- {name}: {value}\n" for name, value in machine)
        here = [run for run in runs if tuple(run.machine.items()) == machine]
        told = [(run.date[:16], *filter(None, [run.commit]), run.command) for run in here]
        yield "```\n" + "".join("  ".join(line) + "\n" for line in told) + "```\n"


def lines(heads: list[str], rows: Iterable[list[str]]) -> str:
    """A table in Markdown."""
    body = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in body)


if __name__ == "__main__":
    main()
