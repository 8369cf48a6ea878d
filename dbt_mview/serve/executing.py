"""Runs of dbt: from the core's `Start` until what became of each view and log is written down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from dbt_mview.serve import messages as m
from dbt_mview.serve.events import Lineage
from dbt_mview.serve.loading import Loading
from dbt_mview.serve.loop import Loop
from dbt_mview.serve.members import Database
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.options import Options
from dbt_mview.serve.process import Answer
from dbt_mview.serve.runs import DbtRun
from dbt_mview.serve.state import State
from dbt_mview.serve.workers import Workers


class Executor:
    """Runs of this node; but for the parts that wait, on the loop's thread.

    Attributes:
        runs: by name, until they are settled.
        problems: by id, the first line of the last failure that happened here.
    """

    def __init__(
        self,
        options: Options,
        loop: Loop,
        loading: Loading,
        database: Database,
        workers: Workers,
        state: State,
        metrics: Metrics,
        lineage: Lineage | None,
        is_gone: Callable[[], bool],
    ) -> None:
        """Nothing runs.

        Args:
            options: of the node.
            loop: of the node.
            loading: has the project.
            database: of the nodes, where runs are written down.
            workers: run dbt.
            state: of views and logs.
            metrics: of runs.
            lineage: told of refreshes; None for none.
            is_gone: whether the database is.
        """
        self.runs: dict[str, DbtRun] = {}
        self.problems: dict[str, str] = {}
        self._options = options
        self._loop = loop
        self._loading = loading
        self._database = database
        self._workers = workers
        self._state = state
        self._metrics = metrics
        self._lineage = lineage
        self._is_gone = is_gone
        self._unended: dict[str, tuple[str, dict[str, str], str, int]] = {}

    def settle(self, action: m.Settle) -> None:
        """Asks state what became of a run."""
        run = self.runs.get(action.run)
        took, owner = (run.took(), run.invocation) if run else ({}, None)
        self._loop.answer("settle", self._state.settle, action, took, owner)

    def cancel(self, action: m.Cancel) -> None:
        """Cancels a run."""
        self._loop.say("cancelling", run=action.run, reason=action.reason)
        self.runs[action.run].cancelled = action.reason
        self._workers.cancel(action.run)

    def has_beaten(self, was_gone: bool) -> None:
        """The database answers: what it does not know is written."""
        if was_gone or self._unended:
            self._loop.work("database", self._catch_up)

    def start(self, action: m.Start) -> None:
        """Runs dbt on a thread of its own."""
        project = self._loading.project
        selects = project.selects if project else {}
        chosen = list(dict.fromkeys(selects[name] for name in action.ids if name in selects))
        rows = {name: self._state.rows.get(name) for name in action.ids}
        names = project.names if project else {}
        run = DbtRun(action, self._options.node, self._loop.now(), names, rows)
        self.runs[action.run] = run
        self._state.began(action.ids)
        for late in run.lateness():
            self._metrics.started(action.kind, late)
        self._loop.say("started", run=action.run, kind=action.kind, ids=list(action.ids))
        if self._lineage is not None:
            for name, row in rows.items():
                due = row.next_time if row and not action.is_manual else None
                read = project.reads(name) if project else ()
                self._lineage.started(action.run, name, run.began, due, read)
        threading.Thread(target=self._run_dbt, args=(run, chosen), name=action.run).start()

    def _run_dbt(self, run: DbtRun, chosen: Sequence[str]) -> None:
        """One dbt run, from its row in the database to its end."""
        action = run.action
        try:
            self._begin_row(run)
            answer = self._pool_run(run, chosen)
        except Exception as error:
            self._loop.say("internal_error", doing="run", problem=repr(error))
            answer = Answer("error", problem=repr(error))
        run.answer = answer
        self._metrics.run(run.how())
        self._loop.tell(m.Returned(action.run, answer.how))

    def _pool_run(self, run: DbtRun, chosen: Sequence[str]) -> Answer:
        """The command. What was cancelled before the workers knew of it does not begin."""
        if run.cancelled:
            return Answer("died", "it was cancelled before it began")
        if not chosen:
            return Answer("done")
        return self._workers.run(run.action.run, ["run", "--select", *chosen], due=run.due())

    def _begin_row(self, run: DbtRun) -> None:
        """Writes it down, for whoever has to recover it.

        All but the outbox may be lost: without the row, the lease ends what this node leaves. So
        no run waits for a database that is known to be gone; `_catch_up` writes it.
        """
        if self._is_gone():
            return
        action = run.action
        try:
            self._database.begin_run(action.run, action.kind, action.ids, run.began)
            run.is_stored = True
        except OSError as error:
            self._loop.say("database", problem=str(error))

    def name_run(self, run: str, invocation: str) -> None:
        """Dbt has begun: its invocation id is stored before it can take a lock.

        Args:
            run: its name; one that is no run of the core is an operation.
            invocation: dbt's id.
        """
        known = self.runs.get(run)
        if known is None:
            return
        known.invocation = invocation
        if known.cancelled:
            # The workers did not know of it yet when it was.
            self._workers.cancel(run)
        self._name_row(known)

    def _name_row(self, run: DbtRun) -> None:
        """Writes down by what name dbt holds its locks, with the row if that is missing."""
        if not run.is_stored:
            self._begin_row(run)
        if not run.is_stored or not run.invocation:
            return
        try:
            self._database.name_run(run.action.run, run.invocation)
        except OSError as error:
            run.is_stored = False
            self._loop.say("database", problem=str(error))

    def _catch_up(self) -> None:
        """The database is back: what it does not know of runs is written."""
        for run in [*self.runs.values()]:
            if not run.is_stored:
                self._name_row(run)
        for name in [*self._unended]:
            self._end_row(name, *self._unended[name])

    def end(self, event: m.Settled) -> None:
        """A run is settled: what became of each unit is told, and its row becomes history."""
        run = self.runs.pop(event.run, None)
        rows = {row.id: row for row in event.rows or ()}
        outcomes: dict[str, str] = {}
        problem, how = "", "recovered"
        if run is not None:
            outcomes = run.outcomes(rows)
            problem, how = run.problem(), run.how()
            for name, outcome in outcomes.items():
                self._metrics.ended(run.action.kind, outcome, run.seconds(name))
                said = run.said(name)
                if outcome == "failed":
                    self.problems[name] = said or problem
                elif outcome in ("success", "skip"):
                    self.problems.pop(name, None)
            self._state.missed(run.missed(outcomes))
        self._loop.say("ended", run=event.run, how=how, outcomes=outcomes, problem=problem)
        at = self._loop.now()
        self._loop.work("database", self._end_row, event.run, how, outcomes, problem, at)
        if self._lineage is not None and run is not None:
            for name, outcome in outcomes.items():
                said = self.problems.get(name, problem)
                self._lineage.ended(event.run, name, at, outcome, said)

    def _end_row(self, run: str, how: str, outcomes: dict[str, str], problem: str, at: int) -> None:
        """Writes it down."""
        try:
            self._database.end_run(run, how, outcomes, problem, at)
            self._unended.pop(run, None)
        except OSError as error:
            # Until then it is shown as running; another start finds it, and settles it once more.
            self._unended[run] = how, outcomes, problem, at
            self._loop.say("database", problem=str(error))
