"""What was measured, as it is kept in a JSON file and put into the report."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
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


@dataclass
class Run:
    """One run of the bench: where, when, how it was called, what came of it."""

    command: str
    date: str
    machine: dict[str, str]
    results: list[Result] = field(default_factory=list)

    def write(self, file: Path) -> None:
        """Writes the run; after each result again, so that a run that is stopped is not lost."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def read(cls, file: Path) -> Run:
        """Reads what `write` wrote."""
        content: dict[str, Any] = json.loads(file.read_text())
        return cls(**{**content, "results": [Result(**one) for one in content["results"]]})


def newest(runs: list[Run]) -> list[Result]:
    """The results of several runs, the last measurement of each comparison.

    The sides of a cell of the grid stand in one line: they are all of the last run that timed it.
    """
    found: list[Result] = []
    for run in sorted(runs, key=lambda run: run.date):
        again = {one.key for one in run.results}
        found = [one for one in found if one.key not in again] + run.results
    return found
