"""What every comparison is given, and what most of them do first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tests.bench.changes import Changes
from tests.bench.data import copy
from tests.bench.steps import steps
from tests.support.project import Outcome, Project

SIDES = {
    "table": {"materialized": "table", "file_format": "delta"},
    "complete": {"refresh": "complete"},
    "fast": {"refresh": "fast"},
    "auto": {"refresh": "auto"},
}


@dataclass(frozen=True)
class Choice:
    """What was asked for: how often, and which part of the grid."""

    rounds: int
    views: tuple[str, ...]
    percents: tuple[float, ...]
    layouts: tuple[str, ...]
    sides: tuple[str, ...] = ()
    steps: bool = False
    refreshes: int = 1000
    warm_up: int = 1
    learn: int = 0


@dataclass(frozen=True)
class Bench:
    """One run of the bench.

    Args:
        project: a dbt project whose schema holds what is changed and built.
        tpch: the schemas of TPC-H, by scale factor.
        choice: what was asked for.
        status: says what is being done.
        tell: prints a line that stays.
    """

    project: Project
    tpch: dict[float, str]
    choice: Choice
    status: Callable[[str], object]
    tell: Callable[[str], object]

    def begin(self, scale: float, layout: str = "scattered") -> Changes:
        """Take away what was built, and put the tables there as they were loaded."""
        self.status(f"SF {scale:g}: tables as they were loaded")
        self.project.forget()
        self.project.drop()
        self.project.sql("create schema @")
        vectors = layout != "rewritten"
        copy(self.project.spark, self.tpch[scale], self.project.schema, vectors)
        return Changes(self.project, scale)

    def run(self, *models: str) -> Outcome:
        """dbt run of some models."""
        self.status(f"dbt run {' '.join(models[:3])}{' ...' if models[3:] else ''}")
        outcome = self.project.run(*models)
        if self.choice.steps and len(models) == 1:
            for step, seconds in steps(outcome.said):
                self.tell(f"    {models[0]} {step}: {seconds:.2f} s")
        return outcome

    def runs(self, *models: str) -> Callable[[], Outcome]:
        """The same, to be done later."""
        return partial(self.run, *models)

    def models(self, name: str, query: str, *sides: str) -> list[str]:
        """One query as a model of each side. Returns the models' names."""
        names = {side: f"{name}_{side}" for side in sides}
        for side, model in names.items():
            self.project.model(model, query, **SIDES[side])
        return list(names.values())
