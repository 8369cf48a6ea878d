"""A run of this node, from its start until it is settled: what was asked, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbt_mview.serve import messages as m
from dbt_mview.serve.process import Answer, Result
from dbt_mview.serve.report import RunLine
from dbt_mview.serve.times import SECOND


@dataclass
class DbtRun:
    """One `dbt run`.

    Args:
        action: what the core asked for.
        node: that runs it.
        began: when, in microseconds by the engine's clock.
        names: by dbt's unique id of a model, the id of its view or log.
        before: rows as they were when it started; None for one that was not known.
    """

    action: m.Start
    node: str
    began: int
    names: Mapping[str, str]
    before: Mapping[str, m.Row | None]
    invocation: str = ""
    is_stored: bool = False  # in the database
    cancelled: str = ""  # why
    answer: Answer | None = field(default=None)

    def lateness(self) -> list[float]:
        """Seconds between the due time of each and the start.

        None of a refresh by hand, and of one that a change of a source has made due.
        """
        if self.action.is_manual:
            return []
        found = []
        for row in filter(None, self.before.values()):
            listens = row.at_most_every is not None
            due = row.retry_time if listens else row.due
            if due is not None:
                found.append(max(self.began - due, 0) / SECOND)
        return found

    def due(self) -> dict[str, int]:
        """When each was due for which it starts, by id: dbt leaves alone what is due later by then.

        Empty for a refresh by hand, and without what has no row yet.
        """
        if self.action.is_manual:
            return {}
        rows = filter(None, self.before.values())
        return {row.id: row.due for row in rows if row.due is not None}

    def line(self, name: str) -> RunLine:
        """As it is shown while it runs."""
        return RunLine(
            run=name,
            node=self.node,
            invocation=self.invocation,
            kind=self.action.kind,
            ids=self.action.ids,
            began=self.began,
            ended=None,
            how=self.how(),
            outcomes={},
            problem=self.problem(),
        )

    def results(self) -> dict[str, Result]:
        """What dbt said of each view or log that it came to, by id."""
        found = self.answer.results if self.answer else ()
        return {self.names[one.unique_id]: one for one in found if one.unique_id in self.names}

    def took(self) -> dict[str, float]:
        """Seconds that dbt took for each that it has refreshed or captured."""
        return {
            id_: one.seconds
            for id_, one in self.results().items()
            if one.status == "success" and not (one.skip or one.left)
        }

    def outcomes(self, rows: Mapping[str, m.Row]) -> dict[str, str]:
        """What became of each view or log: state says, dbt's result tells a skip from a refresh.

        Args:
            rows: of state, read after its end.
        """
        results = self.results()
        return {id_: self._outcome(id_, rows.get(id_), results) for id_ in self.action.ids}

    def _outcome(self, id_: str, row: m.Row | None, results: Mapping[str, Result]) -> str:
        was = self.before.get(id_)
        if row is None:
            return "not reached"  # it is gone
        result = results.get(id_)
        if result is not None and result.left:
            return "not reached"
        if row.failures > (was.failures if was else 0):
            return "failed"
        if result is not None and result.status == "success":
            return "skip" if result.skip else "success"
        # dbt may have died before it could say so.
        has_moved = was is not None and (row.ended, row.next_time) != (was.ended, was.next_time)
        return "success" if has_moved and not row.failures else "not reached"

    def missed(self, outcomes: Mapping[str, str]) -> tuple[str, ...]:
        """Those that have not seen what has changed in their sources.

        Args:
            outcomes: of `outcomes`.
        """
        if self.action.is_manual:
            return ()
        return tuple(id_ for id_, one in outcomes.items() if one in ("failed", "not reached"))

    def seconds(self, id_: str) -> float:
        """How long dbt was at work for a view or log, whatever became of it."""
        result = self.results().get(id_)
        return result.seconds if result else 0.0

    def problem(self) -> str:
        """The first line of what went wrong with the run as a whole; empty for nothing."""
        return self.cancelled or (self.answer.problem if self.answer else "")

    def how(self) -> str:
        """How it ended; empty while it runs."""
        if self.answer is None:
            return ""
        return "cancelled" if self.cancelled else self.answer.how

    def said(self, id_: str) -> str:
        """The first line of what dbt said of a view or log that failed."""
        result = self.results().get(id_)
        return result.message if result else ""
