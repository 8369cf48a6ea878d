"""What was measured, as it is kept in two tables and put into the report.

A place is a folder of two CSV files: tests/bench/measured has what was kept, .bench/measured what
was measured here. All comparisons share their rows:

- results.csv, one row a result: the date of its run and the fields of `Result`. `ours` and `theirs`
  have a number for each round, in `unit` (s, rows, commits, files), in the order of the rounds.
  `scale` is the scale factor; of the comparison curve, the number of refreshes. A later run takes
  the place of what it measures again: of whole cells of the grid, else of rows with its sides.
- runs.csv, one row a run: date (UTC, what names it), commit (`-dirty`: of changed files; empty: not
  noted), command, and the machine. A run stays when it has no results any more: the notes name it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Result:
    """One side against another in one cell, with all that was measured."""

    comparison: str
    cell: str
    scale: float
    side: str
    against: str
    ours: list[float]
    theirs: list[float]
    goal: float | None = None
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        """Our median over theirs."""
        theirs = median(self.theirs)
        return median(self.ours) / theirs if theirs > 0 else float("inf")

    @property
    def met(self) -> bool | None:
        """Whether the goal was met, to the two decimals that are shown; None without a goal."""
        return None if self.goal is None else round(self.ratio, 2) <= self.goal

    @property
    def key(self) -> tuple[str, ...]:
        """What a later run takes the place of: a whole cell of the grid, else what is compared."""
        sides = () if self.comparison == "grid" else (self.side, self.against)
        return (self.comparison, self.cell, f"{self.scale:g}", *sides)

    def row(self) -> dict[str, object]:
        """The row of results.csv: numbers to five decimals, so that the report's two stay."""
        row = asdict(self)
        for name in ("ours", "theirs"):
            row[name] = " ".join(f"{round(one, 5):.12g}" for one in row[name])
        return {**row, "scale": f"{self.scale:g}"}

    @classmethod
    def of(cls, row: dict[str, str]) -> Result:
        """What `row` gave."""
        values: dict[str, Any] = {**row, "scale": float(row["scale"])}
        for name in ("ours", "theirs"):
            values[name] = [float(one) for one in row[name].split()]
        return cls(**{**values, "goal": float(row["goal"]) if row["goal"] else None})

    def cells(self) -> list[str]:
        """One line of the table of ratios."""
        goal = "" if self.goal is None else f"{self.goal:g}"
        met = {None: "", True: "met", False: "MISSED"}[self.met]
        ours, theirs = shown(median(self.ours), self.unit), shown(median(self.theirs), self.unit)
        ratio = "-" if self.unit == "rows" else f"{self.ratio:.2f}"
        sides = [f"{self.scale:g}", self.side, ours, self.against, theirs]
        return [self.cell, *sides, ratio, goal, met, self.note]


HEADINGS = ["what", "SF", "side", "", "against", "", "ratio", "goal", "", "note"]


def shown(value: float, unit: str) -> str:
    """A value with its unit, as short as it is exact."""
    return f"{value:.2f} s" if unit == "s" else f"{value:g}"


@dataclass(frozen=True)
class Run:
    """One run of the bench: where, when, how it was called, what came of it."""

    date: str
    commit: str
    command: str
    machine: dict[str, str]
    results: list[Result] = field(default_factory=list)


RUN = ("date", "commit", "command")


def newest(runs: Iterable[Run]) -> list[Run]:
    """Runs by date, each without the results that a later one measured again.

    The sides of a cell of the grid stand in one line: they are all of the last run that timed it.
    """
    found: list[Run] = []
    for run in sorted(runs, key=lambda run: run.date):
        again = {one.key for one in run.results}
        found = [
            replace(old, results=[one for one in old.results if one.key not in again])
            for old in found
            if old.date != run.date
        ] + [run]
    return found


def results_of(runs: Iterable[Run]) -> list[Result]:
    """The results of all runs."""
    return [one for run in runs for one in run.results]


def write(place: Path, runs: Iterable[Run]) -> None:
    """Writes what is newest of some runs in place of what was there, the results last."""
    place.mkdir(parents=True, exist_ok=True)
    kept = newest(runs)
    about = [{key: getattr(run, key) for key in RUN} | run.machine for run in kept]
    dump(place / "runs.csv", about)
    found = [{"date": run.date} | one.row() for run in kept for one in run.results]
    dump(place / "results.csv", found)


def dump(file: Path, rows: list[dict[str, Any]]) -> None:
    """Writes a table as a whole, or leaves the one that is there."""
    new = file.with_suffix(".new")
    with new.open("w", newline="") as text:
        names = dict.fromkeys(name for row in rows for name in row)
        table = csv.DictWriter(text, list(names), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    new.replace(file)


def read(place: Path) -> list[Run]:
    """Reads what `write` wrote; nothing from a place that is not there."""
    runs: dict[str, Run] = {}
    for row in load(place / "runs.csv"):
        named = {key: row.pop(key) for key in RUN}
        runs[named["date"]] = Run(**named, machine={key: row[key] for key in row if row[key]})
    for row in load(place / "results.csv"):
        runs[row.pop("date")].results.append(Result.of(row))
    return list(runs.values())


def load(file: Path) -> list[dict[str, Any]]:
    """The rows of a table; none where there is no file."""
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return list(csv.DictReader(lines))
