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
from dbt_mview.serve.delta_log import Unreadable
from dbt_mview.serve.log_state import Detail, LogState
from dbt_mview.serve.members import Database
from dbt_mview.serve.operation_state import OperationState
from dbt_mview.serve.project import Project, models_of
from dbt_mview.serve.sources import Sources
from dbt_mview.serve.workers import OperationFailed, Pool

Reader = Literal["auto", "log", "operation"]
Say: TypeAlias = Callable[..., None]
NOBODY = "-"


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
        self._asked = OperationState(self._operate)
        self._reader: LogState | OperationState = self._asked
        self._lock = threading.Lock()
        self._sources = Sources({}, {})
        self._took: dict[str, float] = {}
        self._clock: m.Clock | None = None
        self._places: tuple[str | None, str | None] | None = None
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
        read = {
            view: [(one.relation, one.version) for one in sources]
            for view, sources in project.sources.items()
        }
        with self._lock:
            self._took = {**project.took, **self._took}
            self._sources.update(read, project.locations)
            self._choose(project)
        return project

    def _choose(self, project: Project) -> None:
        """Reads the log, if that is wanted and can be done.

        Raises:
            Unreadable: it is wanted, and cannot.
        """
        views, logs = project.tables.views, project.tables.logs
        places = (views.location, logs.location if logs else None)
        if self._wanted == "operation" or places == self._places:
            return
        try:
            found = LogState(places[0] or "", places[1])
            found.fetch(m.Fetch(0, is_whole=True))
        except Unreadable as error:
            if self._wanted == "log":
                raise
            self._say("reader", reader="operation", problem=str(error))
            self._reader = self._asked
            return
        self._say("reader", reader="log")
        self._reader, self._places = found, places

    # What the core asks

    def fetch(self, action: m.Fetch) -> m.Fetched:
        """See `dbt_mview.serve.ports.State`.

        Raises:
            OSError: state cannot be read; then the core is told so.
        """
        found = self._reader.fetch(action)
        with self._lock:
            if found.is_whole:
                self.rows = {row.id: row for row in found.rows}
            else:
                self.rows.update((row.id, row) for row in found.rows)
                for name in found.gone:
                    self.rows.pop(name, None)
        rows = [self._with_time(row) for row in found.rows]
        return replace(found, rows=rows, clock=self.clock())

    def clock(self) -> m.Clock | None:
        """The engine's clock, as it was seen last."""
        seen = [one for one in (self._clock, self._asked.clock) if one is not None]
        return max(seen, key=lambda one: one.at, default=None)

    def _with_time(self, row: m.Row) -> m.Row:
        """A row with the duration that is known, where the reading does not say one."""
        took = self._took.get(row.id)
        return row if took is None or row.took is not None else replace(row, took=took)

    def is_changed(self) -> bool:
        """Whether somebody has written to state since it was read last."""
        return self._reader.is_changed()

    def settle(
        self, action: m.Settle, took: Mapping[str, float], invocation: str = ""
    ) -> m.Settled:
        """See `dbt_mview.serve.ports.State`.

        Args:
            action: what the core wants.
            took: seconds that dbt has measured, by id.
            invocation: dbt's id of a run of this node, which the database may not have been told;
                empty for one of another node, or that has none.
        """
        self._took.update(took)
        try:
            if action.is_recovery:
                self._recover(action, invocation)
            if action.charge == "all":
                failures = dict.fromkeys(action.ids, action.reason)
                self._operate("mview_note_failures", {"failures": failures, "run": action.run})
            rows = self._reader.read(action.ids)
        except OSError as error:
            self._say("not_settled", run=action.run, problem=str(error))
            self._keep(action)
            return m.Settled(action.run, None)
        with self._lock:
            self.rows.update((row.id, row) for row in rows)
        return m.Settled(action.run, tuple(map(self._with_time, rows)), self.clock())

    def _recover(self, action: m.Settle, invocation: str) -> None:
        """Ends what dbt's invocation holds; one that never began holds nothing."""
        owner = invocation or self._database.invocation_of(action.run)
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
            self._say("database", run=action.run, problem=str(error))

    def plan(self, action: m.Plan) -> m.Planned:
        """See `dbt_mview.serve.ports.State`."""
        times = {"times": dict(action.times), "after": dict(action.after)}
        try:
            self._operate("mview_plan", times)
        except OSError as error:
            self._say("not_planned", problem=str(error))
        return m.Planned(tuple(action.times))

    def poll(self, action: m.PollSources) -> m.SourcesChanged:
        """See `dbt_mview.serve.ports.State`."""
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

    def look(self, ids: Collection[str] = ()) -> None:
        """Asks the engine for its time, and for the rows of some views or logs.

        Args:
            ids: whose last failures are to be known, see `details`.

        Raises:
            OSError: it does not answer.
        """
        # An id that no row has, as without ids nothing is asked.
        self._asked.read(tuple(ids) or (NOBODY,))

    def details(self) -> dict[str, Detail]:
        """By id, what is shown of the rows beyond what the core is told."""
        return {**self._reader.details()}

    def problems(self) -> dict[str, str]:
        """By id, the first line of the last failure, as far as it is known."""
        known = {**self._asked.details(), **self._reader.details()}
        asked = self._asked.details()
        return {
            id_: text
            for id_, one in known.items()
            if (text := one.problem or (asked[id_].problem if id_ in asked else ""))
        }

    def _operate(self, operation: str, args: Mapping[str, Any]) -> Sequence[str]:
        """Runs an operation of the dbt package."""
        return self._pool.operate(operation, args)


def monotonic() -> int:
    """The monotonic clock in microseconds."""
    return time.monotonic_ns() // 1000
