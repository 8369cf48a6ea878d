"""State for the core: who reads it, who writes to it, and what waits until it can be reached.

It is read from Delta's log where that can be reached, else by an operation of the dbt package; it
is written by operations alone, which a worker runs. Everything here blocks, and is called from
threads that may.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from dbt_mview.schedule import MARK
from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.delta_log import Unreadable
from dbt_mview.serve.log_state import MILLISECOND, Detail, LogState
from dbt_mview.serve.members import Database
from dbt_mview.serve.operation_state import OperationState
from dbt_mview.serve.project import Project, is_session, models_of
from dbt_mview.serve.sources import Sources
from dbt_mview.serve.times import MINUTE, SECOND
from dbt_mview.serve.workers import OperationFailed, Workers

Reader = Literal["auto", "log", "operation"]
Say: TypeAlias = Callable[..., None]
NOBODY = "-"
NEVER = 1 << 62
# How old the engine's clock may be, and how far this machine's own may move meanwhile: it is set,
# or the machine has slept, during which the monotonic clock stands still.
CLOCK_AGE = 10 * MINUTE
CLOCK_MOVED = SECOND
# Between two looks at the engine, whatever they are for.
LOOK_AGAIN = MINUTE
# Fetches in a row that cannot read the log, and how long the operation is used then.
LOG_FAILURES = 3
LOG_AGAIN = 10 * MINUTE
# Seconds that `dbt parse` may take, which is asked why a load has failed.
PARSE_WITHIN = 600.0


class NotParsedError(OSError):
    """dbt cannot parse the project. What it said first is the message."""


class State:
    """State in Delta, of one project; `dbt_mview.serve.ports.State`."""

    def __init__(self, workers: Workers, database: Database, reader: Reader, say: Say) -> None:
        """Nothing is read before `load`.

        Args:
            workers: run the operations.
            database: has the runs, and the outbox.
            reader: log, operation; auto is log where it can be read.
            say: writes an event to the log, with fields.
        """
        self._workers = workers
        self._database = database
        self._wanted: Reader = reader
        self._say = say
        self._asked = OperationState(self._operate)
        self._reader: LogState | OperationState = self._asked
        self._lock = threading.Lock()
        self._sources = Sources({}, {})
        self._took: dict[str, float] = {}
        self._clock: m.Clock | None = None
        self._project: Project | None = None
        # Of the reader: what the log could not be read for, and when it is tried again.
        self._places: tuple[str | None, str | None] | None = None
        self._problem = ""
        self._log_failures = 0
        self._log_at = NEVER
        # Of looks: how far this machine's clock was ahead of the monotonic one, and when the next
        # one may be.
        self._ahead = _ahead()
        self._look_at = 0
        # Of sources: since when the files are as they are, and what ran then, by other files; by
        # id of one whose run that was, when it ended; the views whose sources were read after a
        # refresh by these files; by id of one that nothing is known of, its version then.
        self._since = 0
        self._running: set[str] = set()
        self._runs_old: set[str] = set()
        self._ended_old: dict[str, int] = {}
        self._read_again: set[str] = set()
        self._unknown: dict[str, int] = {}
        # Views whose sources have changed, and that no refresh has seen since.
        self._changed: set[str] = set()
        self._is_outdated = False
        self.rows: dict[str, m.Row] = {}

    # The project

    def load(self, is_new: bool) -> Project:
        """Has dbt parse the project, and asks what the service has to know of it.

        Args:
            is_new: its files have changed since the last time: views may read other sources from
                their next refresh on.

        Raises:
            NotParsedError: it does not parse.
            OSError: the engine cannot be reached, or `dbt parse` did not end within ten minutes.
            ValueError: its meta or its state is not as it must be.
        """
        before = [row for row in self.rows.copy().values() if row.at_most_every is not None]
        self._is_outdated = False
        try:
            printed = self._operate("mview_models", {})
        except OperationFailed as error:
            answer = self._workers.run("parse", ["parse"], PARSE_WITHIN)
            if answer.how == "error":
                raise NotParsedError(answer.problem) from error
            raise
        project = models_of(printed)
        self._clock = m.Clock(project.clock, monotonic())
        self._ahead = _ahead()
        was, self._project = self._project, project
        self._choose()
        read = {
            view: [(one.relation, one.version) for one in sources]
            for view, sources in project.sources.items()
        }
        for view in was.sources.keys() - read.keys() if was else ():
            self._sources.forget(view)
        self._sources.update(read, project.locations)
        with self._lock:
            self._took.update(project.took)
            if is_new:
                self._since, self._runs_old = project.clock, set(self._running)
                self._ended_old.clear()
                self._read_again.clear()
            self._read_again.update(row.id for row in before if self._is_refreshed(row))
            self._unknown = {row.id: row.version for row in before if row.id not in read}
        return project

    def _is_refreshed(self, row: m.Row) -> bool:
        """Whether a view was refreshed by the files as they are."""
        if row.ended is None or row.id in self._runs_old:
            return False
        # Times of rows are the ends of milliseconds.
        return row.ended > self._ended_old.get(row.id, self._since + MILLISECOND)

    @property
    def is_outdated(self) -> bool:
        """Whether something has changed that only `load` tells: a table of logs, sources."""
        return self._is_outdated

    def _choose(self) -> bool:
        """Reads the log, if that is wanted and can be done. Returns whether that is new.

        Raises:
            Unreadable: it is wanted, and cannot.
        """
        if self._project is None or self._wanted == "operation":
            return False
        views, logs = self._project.tables.views, self._project.tables.logs
        places = (views.location, logs.location if logs else None)
        if places == self._places:
            return False
        try:
            found = LogState(places[0] or "", places[1])
            found.fetch(m.Fetch(0, is_whole=True))
        except Unreadable as error:
            if self._wanted == "log":
                raise
            self._use_operation(error)
            return False
        self._say("reader", reader="log")
        self._reader, self._places = found, places
        self._problem, self._log_failures, self._log_at = "", 0, NEVER
        return True

    def _use_operation(self, error: Unreadable) -> None:
        """The log cannot be read; later it is tried again."""
        if str(error) != self._problem:
            self._problem = str(error)
            self._say("reader", reader="operation", problem=str(error))
        self._reader, self._places = self._asked, None
        self._log_at = monotonic() + LOG_AGAIN

    # What the core asks

    def fetch(self, action: m.Fetch) -> m.Fetched:
        """See `dbt_mview.serve.ports.State`.

        Raises:
            OSError: state cannot be read; then the core is told so.
        """
        if monotonic() >= self._log_at and self._choose():
            # What has changed since another way of reading was asked, this one does not know.
            action = replace(action, is_whole=True)
        try:
            found = self._reader.fetch(action)
            self._log_failures = 0
        except Unreadable as error:
            self._log_failures += 1
            is_asked = self._reader is self._asked
            if is_asked or self._wanted == "log" or self._log_failures < LOG_FAILURES:
                raise
            self._use_operation(error)
            found = self._reader.fetch(action)
        with self._lock:
            if found.is_whole:
                self.rows = {row.id: row for row in found.rows}
            else:
                self.rows.update((row.id, row) for row in found.rows)
                for name in found.gone:
                    self.rows.pop(name, None)
        self._look_at_listeners(found.rows)
        rows = [self._with_time(row) for row in found.rows]
        return replace(found, rows=rows, clock=self.clock())

    def _look_at_listeners(self, rows: Iterable[m.Row]) -> None:
        """Of a view that was refreshed by changed files, the sources may be others."""
        for row in rows:
            if row.at_most_every is not None and self._is_refreshed(row):
                is_ours = self._project is not None and row.id in self._project.models
                self._is_outdated |= is_ours and row.id not in self._read_again

    def clock(self) -> m.Clock | None:
        """The engine's clock, as it was seen last; of a session it is this machine's."""
        if self._project is not None and is_session(self._project):
            return m.Clock(time.time_ns() // 1000, monotonic())
        seen = [one for one in (self._clock, self._asked.clock) if one is not None]
        return max(seen, key=lambda one: one.at, default=None)

    def _with_time(self, row: m.Row) -> m.Row:
        """A row with the duration that is known, where the reading does not say one."""
        took = self._took.get(row.id)
        return row if took is None or row.took is not None else replace(row, took=took)

    def is_changed(self) -> bool:
        """Whether somebody has written to state since it was read last."""
        return self._reader.is_changed()

    def settle(self, action: m.Settle, took: Mapping[str, float], owner: str | None) -> m.Settled:
        """See `dbt_mview.serve.ports.State`."""
        with self._lock:
            self._took.update(took)
        try:
            if action.is_recovery:
                self._recover(action, owner)
            if action.charge == "all":
                failures = dict.fromkeys(action.charged or action.ids, action.reason)
                self._operate("mview_note_failures", {"failures": failures, "run": action.run})
            rows = self._reader.read(action.ids)
        except OSError as error:
            self._say("not_settled", run=action.run, problem=str(error))
            self._keep(action)
            return m.Settled(action.run, None)
        with self._lock:
            self.rows.update((row.id, row) for row in rows)
            old = [row for row in rows if row.id in self._runs_old]
            self._ended_old.update((row.id, row.ended or 0) for row in old)
            self._runs_old.difference_update(action.ids)
            self._running.difference_update(action.ids)
        self._look_at_listeners(rows)
        return m.Settled(action.run, tuple(map(self._with_time, rows)), self.clock())

    def _recover(self, action: m.Settle, owner: str | None) -> None:
        """Ends what dbt's invocation holds; one that never began holds nothing."""
        if owner is None:
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
            ids = action.charged or action.ids
            self._database.keep_attempt(action.run, ids, action.charge, action.reason)
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
        """See `dbt_mview.serve.ports.State`.

        A change is told each time until a refresh begins (`began`), and again if that one does not
        succeed (`missed`): the core forgets it with a view that leaves this node for a while.
        """
        read = self._project.sources if self._project else {}
        for id_ in set(action.ids) - read.keys():
            row = self.rows.get(id_)
            self._is_outdated |= row is not None and self._unknown.get(id_) != row.version
        # Nothing can change of a view that reads nothing.
        known = [id_ for id_ in action.ids if read.get(id_)]
        changed = set(self._sources.poll(known))
        closed = self._sources.closed.intersection(known)
        if closed:
            try:
                changed |= closed & self._due_by_operation()
            except (OSError, ValueError) as error:
                self._say("sources", problem=str(error))
        with self._lock:
            self._changed |= changed
            return m.SourcesChanged(tuple(sorted(self._changed.intersection(action.ids))))

    def began(self, ids: Collection[str]) -> None:
        """A refresh of these has begun: it sees what has changed so far."""
        with self._lock:
            self._running.update(ids)
            self._changed.difference_update(ids)

    def missed(self, ids: Collection[str]) -> None:
        """It has not seen it: it has failed, or did not come to these."""
        with self._lock:
            self._changed.update(ids)

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

    def look(self) -> None:
        """Asks the engine for its time, and whether there is a table of logs by now.

        Raises:
            OSError: it does not answer.
        """
        self._look_at = monotonic() + LOOK_AGAIN
        # An id that no row has, as without ids nothing is asked.
        if self._asked.read(self._logs_to_come() or (NOBODY,)):
            self._is_outdated = True
        self._ahead = _ahead()

    def needs_look(self) -> bool:
        """Whether `look` has something to find out: a clock that is old, the first log.

        Never where that would start a session: it alone could use its metastore.
        """
        if self._project is None or monotonic() < self._look_at:
            return False
        if is_session(self._project):
            return bool(self._logs_to_come() and self._workers.children())
        clock = self.clock()
        is_old = clock is None or monotonic() - clock.at > CLOCK_AGE
        return is_old or abs(_ahead() - self._ahead) > CLOCK_MOVED or bool(self._logs_to_come())

    def _logs_to_come(self) -> tuple[str, ...]:
        """Logs of the project, where state has no table of them and only the log is read."""
        project = self._project
        if project is None or project.tables.logs is not None or self._reader is self._asked:
            return ()
        return tuple(model.id for model in project.models.values() if model.kind == "log")

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
        return self._workers.operate(operation, args)


def _ahead() -> int:
    """Microseconds by which this machine's clock is ahead of the monotonic one."""
    return time.time_ns() // 1000 - monotonic()
