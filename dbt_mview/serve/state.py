"""State for the core: who reads it, who writes to it, and what waits until it can be reached.

It is read from Delta's log where that can be reached, else by an operation of the dbt package; it
is written by operations alone, which a worker runs. Everything here blocks, and is called from
threads that may.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from dbt_mview.schedule import MARK
from dbt_mview.serve import messages as m
from dbt_mview.serve.log_state import LogState, Unreadable
from dbt_mview.serve.members import Database
from dbt_mview.serve.operation_state import OperationState
from dbt_mview.serve.project import Project, models_of
from dbt_mview.serve.sources import Sources
from dbt_mview.serve.workers import OperationFailed, Pool

Reader = Literal["auto", "log", "operation"]
Say: TypeAlias = Callable[..., None]


class NotParsedError(OSError):
    """dbt cannot parse the project. What it said first is the message."""


class State:
    """State in Delta, of one project; `dbt_mview.serve.ports.State`."""

    def __init__(self, pool: Pool, database: Database, reader: Reader, say: Say) -> None:
        """Nothing is read before `load`.

        Args:
            pool: runs the operations.
            database: has the runs, and the outbox.
            reader: log, operation; auto is log where it can be read.
            say: writes an event to the log, with fields.
        """
        self._pool = pool
        self._database = database
        self._wanted: Reader = reader
        self._say = say
        self._reader: LogState | OperationState = OperationState(self._operate)
        self._lock = threading.Lock()
        self._sources = Sources({}, {})
        self._took: dict[str, float] = {}
        self._clock: m.Clock | None = None
        self.rows: dict[str, m.Row] = {}

    # The project

    def load(self) -> Project:
        """Has dbt parse the project, and asks what the service has to know of it.

        Raises:
            NotParsedError: it does not parse.
            OSError: the engine cannot be reached.
            ValueError: its meta or its state is not as it must be.
        """
        try:
            printed = self._operate("mview_models", {})
        except OperationFailed as error:
            answer = self._pool.run("parse", ["parse"])
            if answer.how == "error":
                raise NotParsedError(answer.problem) from error
            raise
        project = models_of(printed)
        self._clock = m.Clock(project.clock, monotonic())
        with self._lock:
            self._took = {**project.took, **self._took}
            self._sources = Sources(project.locations, project.sources)
            self._reader = self._choose(project)
        return project

    def _choose(self, project: Project) -> LogState | OperationState:
        """The log, if it is wanted and can be read."""
        if self._wanted == "operation":
            return OperationState(self._operate)
        logs = project.tables.logs
        try:
            found = LogState(project.tables.views.location, logs.location if logs else None)
            found.fetch(m.Fetch(0, is_whole=True))
        except Unreadable as error:
            if self._wanted == "log":
                raise
            self._say("reader", reader="operation", problem=str(error))
            return OperationState(self._operate)
        self._say("reader", reader="log")
        return found

    # What the core asks

    def fetch(self, action: m.Fetch) -> m.Fetched:
        """See `dbt_mview.serve.ports.State`.

        Raises:
            OSError: state cannot be read; then the core is told so.
        """
        with self._lock:
            found = self._reader.fetch(action)
            if found.is_whole:
                self.rows = {row.id: row for row in found.rows}
            else:
                self.rows.update((row.id, row) for row in found.rows)
                for name in found.gone:
                    self.rows.pop(name, None)
        rows = [self._with_time(row) for row in found.rows]
        return replace(found, rows=rows, clock=found.clock or self._clock)

    def _with_time(self, row: m.Row) -> m.Row:
        """A row with the duration that is known, where the reading does not say one."""
        took = self._took.get(row.id)
        return row if took is None or row.took is not None else replace(row, took=took)

    def is_changed(self) -> bool:
        """Whether somebody has written to state since it was read last."""
        with self._lock:
            return self._reader.is_changed()

    def settle(self, action: m.Settle, took: Mapping[str, float]) -> m.Settled:
        """See `dbt_mview.serve.ports.State`.

        Args:
            action: what the core wants.
            took: seconds that dbt has measured, by id.
        """
        self._took.update(took)
        try:
            if action.is_recovery:
                self._recover(action)
            if action.charge == "all":
                failures = dict.fromkeys(action.ids, action.reason)
                self._operate("mview_note_failures", {"failures": failures, "run": action.run})
            with self._lock:
                rows = self._reader.read(action.ids)
                self.rows.update((row.id, row) for row in rows)
        except OSError as error:
            self._say("not settled", run=action.run, problem=str(error))
            self._keep(action)
            return m.Settled(action.run, None)
        return m.Settled(action.run, tuple(map(self._with_time, rows)), self._clock)

    def _recover(self, action: m.Settle) -> None:
        """Ends what dbt's invocation holds; one that never began holds nothing."""
        owner = self._database.invocation_of(action.run)
        if owner:
            self._operate(
                "mview_recover",
                {"owner": owner, "reason": action.reason, "charge": action.charge == "holders"},
            )

    def _keep(self, action: m.Settle) -> None:
        """Keeps a failure that state could not be told: this node may end before it can be."""
        if action.charge == "nobody":
            return
        try:
            self._database.keep_attempt(action.run, action.ids, action.charge, action.reason)
        except OSError as error:
            self._say("outbox", run=action.run, problem=str(error))

    def plan(self, action: m.Plan) -> m.Planned:
        """See `dbt_mview.serve.ports.State`."""
        times = {"times": dict(action.times), "after": dict(action.after)}
        try:
            self._operate("mview_plan", times)
        except OSError as error:
            self._say("not planned", problem=str(error))
        return m.Planned(tuple(action.times))

    def poll(self, action: m.PollSources) -> m.SourcesChanged:
        """See `dbt_mview.serve.ports.State`."""
        with self._lock:
            changed = set(self._sources.poll(action.ids))
            closed = set(action.ids) & self._sources.closed
        if closed:
            try:
                changed |= closed & self._due_by_operation()
            except (OSError, ValueError) as error:
                self._say("sources", problem=str(error))
        return m.SourcesChanged(tuple(sorted(changed)))

    def _due_by_operation(self) -> set[str]:
        """Ids of what is due, where only the engine can look into the sources."""
        for line in self._operate("mview_due", {"format": "json"}):
            if line.startswith(MARK):
                return {row["id"] for row in json.loads(line.removeprefix(MARK))["due"]}
        raise ValueError("mview_due printed no answer")

    # What people ask

    def hold(self, verb: str, kind: m.Kind, id_: str) -> None:
        """Has `mview_pause`, `mview_resume` or `mview_reset` done.

        Args:
            verb: pause, resume or reset.
            kind: view or log.
            id_: of it, or 'all': then of all views and logs.

        Raises:
            OSError: it was not done.
        """
        args = {"view": "all", "log": "all"} if id_ == "all" else {kind: id_}
        self._operate(f"mview_{verb}", args)

    def look_at_clock(self) -> m.Clock | None:
        """Asks the engine for its time.

        Raises:
            OSError: it does not answer.
        """
        found = OperationState(self._operate).read(())
        return self._clock if found is None else self._clock

    def reasons(self, ids: Collection[str]) -> Mapping[str, str]:
        """Why the last refresh of these has failed, as state has it.

        Raises:
            OSError: state cannot be read.
        """
        return {}

    def _operate(self, operation: str, args: Mapping[str, Any]) -> Sequence[str]:
        """Runs an operation of the dbt package."""
        return self._pool.operate(operation, args)


def monotonic() -> int:
    """The monotonic clock in microseconds."""
    return time.monotonic_ns() // 1000
