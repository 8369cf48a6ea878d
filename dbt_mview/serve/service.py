"""One node of the service: the loop around the core, and the threads that do what it asks for.

One thread owns the core, and all of a node that is not locked: it takes what happened from the
inbox, calls `Core.step`, and hands each action to another thread, whose answer comes back as an
event. What others want to know is asked of that thread too, and answered between two steps.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswer
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dbt_mview import __version__
from dbt_mview.schedule import moment
from dbt_mview.serve import config, overview
from dbt_mview.serve import messages as m
from dbt_mview.serve.core import Core
from dbt_mview.serve.events import EventLog, Lineage
from dbt_mview.serve.log_state import Detail
from dbt_mview.serve.members import Command, Database, NodeInUse
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.project import Project, Watch, is_session
from dbt_mview.serve.report import Health, NodeLine, Report, RunLine, ViewLine
from dbt_mview.serve.ring import HEARTBEAT, STALE
from dbt_mview.serve.runs import Run
from dbt_mview.serve.state import NotParsedError, State
from dbt_mview.serve.times import MINUTE, SECOND, backoff, monotonic
from dbt_mview.serve.words import first_line
from dbt_mview.serve.workers import Answer, Pool

T = TypeVar("T")
ANSWER_WITHIN = 10.0
BEAT_LOST = 3 * HEARTBEAT
LOAD_AGAIN_MOST = 30 * SECOND
LAST_GRACE = 10.0  # seconds; runs have ended by then, what is left does nothing
# Of one core, what looking at the project's files may take; of the time, what loading it again may.
WATCHING, LOADING = 0.01, 0.05
# After the runs were to have ended, what is left of them has so long to be settled.
END_WITHIN = 90 * SECOND
# Threads, by what they may have to wait for, so that nothing waits for what it does not need. Each
# run has one of its own.
LANES = {
    "state": 2,  # a fetch, and a look at sources
    "settle": 8,
    "dbt": 4,  # the project, plans, probes: operations run one at a time
    "database": 1,  # in the order in which it was asked for
    "command": 4,  # answered by the loop
    "hold": 1,  # commands that wait for an operation
}
HOLDS = {"pause": "paused", "resume": "resumed", "reset": "reset"}


@dataclass(frozen=True)
class Pace:
    """Seconds between what a node does again and again.

    Args:
        beat: heartbeats.
        tick: looks at commands, settings, state's newest commit, memory and the project.
        answer: looks for the answer to a command.
        again: a load of the project that failed and the next one; then twice as long each.
        reload: loads of a project whose files are as they were.
    """

    beat: float = HEARTBEAT / SECOND
    tick: float = 1.0
    answer: float = 0.1
    again: float = 1.0
    reload: float = 60.0


@dataclass
class Options:
    """What `dbt-mview serve` was told.

    Args:
        node: its id.
        boot: differs at each start.
        given: live settings by name, as the user wrote them.
        pools: slots by the name of the pool.
        windows: without planned starts.
        memory: percent of the machine's memory above which nothing starts.
        pace: of what it does again and again.
    """

    node: str
    boot: str
    given: Mapping[str, object] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    windows: Sequence[config.Window] = ()
    memory: int = 95
    pace: Pace = Pace()


class Service:
    """One node, from `run` until `stop` was asked and all has ended."""

    def __init__(
        self,
        options: Options,
        database: Database,
        pool: Pool,
        state: State,
        watch: Watch,
        log: EventLog,
        metrics: Metrics,
        lineage: Lineage | None = None,
    ) -> None:
        """Connects the parts; nothing runs yet."""
        self.options = options
        self._database = database
        self._pool = pool
        self._state = state
        self._watch = watch
        self._say = log.write
        self._metrics = metrics
        self._lineage = lineage
        self._inbox: queue.SimpleQueue[m.Event | Callable[[], None]] = queue.SimpleQueue()
        self._lanes = {name: ThreadPoolExecutor(size, name) for name, size in LANES.items()}
        settings = config.settings_from(
            options.given, options.pools, broken_after=m.Settings().broken_after, lease=None
        )
        seed = sum(options.node.encode())
        self._core = Core(options.node, options.boot, settings, seed)
        self._ended = threading.Event()
        self._is_stopping = False
        self._is_registered = False
        self._end_by = 0
        self._database_problem = ""
        self._is_database_gone = False
        self._unended: dict[str, tuple[str, dict[str, str], str, int]] = {}
        self.failure: Exception | None = None
        # What the loop's thread knows beyond the core.
        self._loaded: Project | None = None  # settings may not fit it
        self._project: Project | None = None
        self._unregistered = ""
        self._unparsed = ""
        self._held_since = 0
        self._unreached = ""
        self._unread = ""
        self._unprobed = ""
        self._stored: dict[str, str] = {}
        self._runs: dict[str, Run] = {}
        self._problems: dict[str, str] = {}
        self._refused: list[m.Refused] = []
        self._obeying: set[int] = set()
        self._is_polling = False
        self._began = self._turned = monotonic()
        self._fetched: int | None = None
        self._beaten: int | None = None
        self._beating = threading.Lock()
        self._is_memory_high = False
        self._is_looking = self._is_loading = False
        self._is_new = True
        self._load_at = self._watch_at = 0
        self._loads = 0

    # The loop

    def run(self) -> None:
        """Turns until the core says that all has ended. Called on the thread that may block.

        Raises:
            ValueError: this node cannot be one of the service; the error says why.
        """
        pace = self.options.pace
        helpers = [
            threading.Thread(target=self._each, args=(seconds, work), daemon=True)
            for seconds, work in (
                (pace.beat, self._beat),
                (pace.tick, self._tick),
                (pace.tick, self._listen),
            )
        ]
        for helper in helpers:
            helper.start()
        try:
            while not self._ended.is_set():
                self._step(self._take())
        finally:
            self._ended.set()
            ending = threading.Thread(target=self._wind_up, args=(helpers,))
            ending.start()
            while ending.is_alive():
                # Whoever asks is answered to the end.
                with suppress(queue.Empty):
                    one = self._inbox.get(timeout=pace.tick)
                    if callable(one):
                        self._guard(one)
        if self.failure is not None:
            raise self.failure

    def _wind_up(self, helpers: Sequence[threading.Thread]) -> None:
        """Ends the threads. What waits for dbt is told that it has ended."""
        self._pool.stop(LAST_GRACE)
        for helper in helpers:
            helper.join()
        for lane in self._lanes.values():
            lane.shutdown(wait=True, cancel_futures=self._is_database_gone)
        if self._is_registered:
            self._leave()
        self._inbox.put(lambda: None)

    def stop(self) -> None:
        """SIGTERM, Ctrl-C or `drain`; the second time it cancels. May be called by a signal."""
        # A second one does not wait for runs.
        drain = 0 if self._is_stopping else self._core.settings.drain
        self._end_by = monotonic() + drain + END_WITHIN
        self._is_stopping = True
        self._inbox.put(m.Stop())

    def _take(self) -> list[m.Event]:
        """Waits for what happens until the core wants to be called; at most a tick."""
        events: list[m.Event] = []
        wait = min(max(self._core.wake() - monotonic(), 0) / SECOND, self.options.pace.tick)
        try:
            one = self._inbox.get(timeout=wait)
            while True:
                if callable(one):
                    self._guard(one)
                else:
                    self._guard(self._note, one)
                    events.append(one)
                one = self._inbox.get_nowait()
        except queue.Empty:
            return events

    def _guard(self, work: Callable[..., None], *args: Any) -> bool:
        """Does something of which a bug is to be told, and is to end nothing else.

        Returns:
            Whether it was done.
        """
        try:
            work(*args)
        except Exception as error:
            self._say("internal_error", doing=_name(work), problem=repr(error))
            return False
        return True

    def _step(self, events: Iterable[m.Event]) -> None:
        """Tells the core, and has done what it wants."""
        self._turned = monotonic()
        was = self._core.ring
        for action in self._core.step(self._turned, events):
            if not self._guard(self._do, action) and (event := self._failed(action)):
                self._inbox.put(event)
        if self._core.ring is not was and self._core.ring is not None:
            self._say("ring", nodes=list(self._core.ring.nodes))

    def _note(self, event: m.Event) -> None:
        """What the service itself has to know of an event, before the core is told."""
        if isinstance(event, m.Fetched):
            if self._fetched is None:
                self._work("database", self._beat)  # it can take work: the others are told at once
            self._fetched, self._unread = monotonic(), ""
        elif isinstance(event, m.Settled) and event.rows is not None:
            self._end(event)
        elif isinstance(event, m.Returned) and event.how != "done":
            # The core starts nothing until a probe is good, unless it has ended the run itself.
            run = self._runs.get(event.run)
            if run is not None and not run.cancelled:
                self._unprobed = run.problem() or event.how

    def _ask(self, question: Callable[[], T]) -> T:
        """Asks something of the loop's thread.

        Raises:
            TimeoutError: it does not answer.
        """
        answer: Future[T] = Future()

        def reply() -> None:
            try:
                answer.set_result(question())
            except BaseException as error:
                answer.set_exception(error)

        self._inbox.put(reply)
        try:
            return answer.result(ANSWER_WITHIN)
        except NoAnswer:
            raise TimeoutError("the node is busy: it did not answer within ten seconds") from None

    # Actions

    def _do(self, action: m.Action) -> None:
        """Hands an action to a thread."""
        match action:
            case m.Fetch():
                self._answer("state", self._fetch, action)
            case m.Start():
                self._start(action)
            case m.Cancel():
                self._say("cancelling", run=action.run, reason=action.reason)
                self._runs[action.run].cancelled = action.reason
                self._pool.cancel(action.run)
            case m.Settle():
                run = self._runs.get(action.run)
                took, owner = (run.took(), run.invocation) if run else ({}, None)
                self._answer("settle", self._state.settle, action, took, owner)
            case m.Plan():
                self._answer("dbt", self._state.plan, action)
            case m.PollSources():
                # One that takes longer than the pause between two is not asked twice.
                if not self._is_polling:
                    self._is_polling = True
                    self._answer("state", self._poll, action)
            case m.FindRuns():
                self._answer("database", self._find_runs, action)
            case m.Probe():
                self._answer("dbt", self._probe, action)
            case m.Refused():
                self._refused.append(action)
            case m.Leave():
                self._say("stopping")
                if self._is_registered:
                    self._work("database", self._leave)
            case m.Stopped():
                if self._runs:
                    self._work("database", self._be_lost)
                self._ended.set()

    def _work(self, lane: str, work: Callable[..., None], *args: Any) -> None:
        """Does something on another thread."""
        self._lanes[lane].submit(self._guard, work, *args)

    def _answer(self, lane: str, work: Callable[..., m.Event | None], *args: Any) -> None:
        """Does what the core wants on another thread; what that returns is an event."""

        def answer() -> None:
            try:
                event = work(*args)
            except Exception as error:
                # A bug, or a library that raises what it does not say: never in silence.
                self._say("internal_error", doing=_name(work), problem=repr(error))
                event = self._failed(args[0])
            if event is not None:
                self._inbox.put(event)

        self._work(lane, answer)

    def _failed(self, action: m.Action) -> m.Event | None:
        """What the core is told where an action ended in an error that nobody expected."""
        match action:
            case m.Fetch(number):
                return m.FetchFailed(number)
            case m.Start(run):
                return m.Returned(run, "error")
            case m.Settle(run):
                return m.Settled(run, None)
            case m.Plan(times):
                return m.Planned(tuple(times))
            case m.Probe():
                return m.Probed(is_good=False)
        return None

    def _fetch(self, action: m.Fetch) -> m.Event:
        """Reads state."""
        began = monotonic()
        try:
            found = self._state.fetch(action)
        except OSError as error:
            self._metrics.fetched((monotonic() - began) / SECOND, ok=False)
            self._unread = str(error)
            self._say("fetch_failed", problem=str(error))
            return m.FetchFailed(action.number)
        self._metrics.fetched((monotonic() - began) / SECOND, ok=True)
        return found

    def _poll(self, action: m.PollSources) -> m.Event:
        """Looks at sources."""
        try:
            return self._state.poll(action)
        finally:
            self._is_polling = False

    def _find_runs(self, action: m.FindRuns) -> m.Event | None:
        """Reads the runs of a node that is gone."""
        try:
            found = self._database.find_runs(action)
        except OSError as error:
            self._say("database", problem=str(error))
            return None
        for orphan in found.runs:
            self._say("orphan", node=action.node, run=orphan.run, ids=list(orphan.units))
        return found

    def _leave(self) -> None:
        """Leaves the ring."""
        try:
            self._database.leave()
            self._is_registered = False
        except OSError as error:
            self._say("database", problem=str(error))

    def _be_lost(self) -> None:
        """What could not be settled is for the others, or for this node's next start."""
        self._is_registered = False
        try:
            self._database.be_lost()
        except OSError as error:
            self._say("database", problem=str(error))

    def _probe(self, _: m.Probe) -> m.Event:
        """Whether dbt connects and parses."""
        try:
            self._state.look()
        except OSError as error:
            self._unprobed = str(error)
            self._say("breaker", problem=str(error))
            return m.Probed(is_good=False)
        self._unprobed = ""
        self._say("breaker", problem="")
        return m.Probed(is_good=True)

    # Runs

    def _start(self, action: m.Start) -> None:
        """Runs dbt on a thread of its own."""
        selects = self._project.selects if self._project else {}
        chosen = list(dict.fromkeys(selects[name] for name in action.ids if name in selects))
        rows = {name: self._state.rows.get(name) for name in action.ids}
        names = self._project.names if self._project else {}
        run = Run(action, self.options.node, self._now(), names, rows)
        self._runs[action.run] = run
        self._state.began(action.ids)
        for late in run.lateness():
            self._metrics.started(action.kind, late)
        self._say("started", run=action.run, kind=action.kind, ids=list(action.ids))
        if self._lineage is not None:
            for name, row in rows.items():
                due = row.next_time if row and not action.is_manual else None
                self._lineage.started(action.run, name, run.began, due)
        threading.Thread(target=self._run_dbt, args=(run, chosen), name=action.run).start()

    def _run_dbt(self, run: Run, chosen: Sequence[str]) -> None:
        """One dbt run, from its row in the database to its end."""
        action = run.action
        try:
            self._begin_row(run)
            answer = self._pool_run(run, chosen)
        except Exception as error:
            self._say("internal_error", doing="run", problem=repr(error))
            answer = Answer("error", problem=repr(error))
        run.answer = answer
        self._metrics.run(run.how())
        self._inbox.put(m.Returned(action.run, answer.how))

    def _pool_run(self, run: Run, chosen: Sequence[str]) -> Answer:
        """The command. What was cancelled before the pool knew of it does not begin."""
        if run.cancelled:
            return Answer("died", "it was cancelled before it began")
        if not chosen:
            return Answer("done")
        return self._pool.run(run.action.run, ["run", "--select", *chosen])

    def _begin_row(self, run: Run) -> None:
        """Writes it down, for whoever has to recover it.

        All but the outbox may be lost: without the row, the lease ends what this node leaves. So
        no run waits for a database that is known to be gone; `_catch_up` writes it.
        """
        if self._is_database_gone:
            return
        action = run.action
        try:
            self._database.begin_run(action.run, action.kind, action.ids, run.began)
            run.is_stored = True
        except OSError as error:
            self._say("database", problem=str(error))

    def name_run(self, run: str, invocation: str) -> None:
        """Dbt has begun: its invocation id is stored before it can take a lock.

        Args:
            run: its name; one that is no run of the core is an operation.
            invocation: dbt's id.
        """
        known = self._runs.get(run)
        if known is None:
            return
        known.invocation = invocation
        if known.cancelled:
            # The pool did not know of it yet when it was.
            self._pool.cancel(run)
        self._name_row(known)

    def _name_row(self, run: Run) -> None:
        """Writes down by what name dbt holds its locks, with the row if that is missing."""
        if not run.is_stored:
            self._begin_row(run)
        if not run.is_stored or not run.invocation:
            return
        try:
            self._database.name_run(run.action.run, run.invocation)
        except OSError as error:
            run.is_stored = False
            self._say("database", problem=str(error))

    def _catch_up(self) -> None:
        """The database is back: what it does not know of runs is written."""
        for run in [*self._runs.values()]:
            if not run.is_stored:
                self._name_row(run)
        for name in [*self._unended]:
            self._end_row(name, *self._unended[name])

    def _end(self, event: m.Settled) -> None:
        """A run is settled: what became of each unit is told, and its row becomes history."""
        run = self._runs.pop(event.run, None)
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
                    self._problems[name] = said or problem
                elif outcome in ("success", "skip"):
                    self._problems.pop(name, None)
            self._state.missed(run.missed(outcomes))
        self._say("ended", run=event.run, how=how, outcomes=outcomes, problem=problem)
        at = self._now()
        self._work("database", self._end_row, event.run, how, outcomes, problem, at)
        if self._lineage is not None and run is not None:
            for name, outcome in outcomes.items():
                said = self._problems.get(name, problem)
                self._lineage.ended(event.run, name, at, outcome, said)

    def _end_row(self, run: str, how: str, outcomes: dict[str, str], problem: str, at: int) -> None:
        """Writes it down."""
        try:
            self._database.end_run(run, how, outcomes, problem, at)
            self._unended.pop(run, None)
        except OSError as error:
            # Until then it is shown as running; another start finds it, and settles it once more.
            self._unended[run] = how, outcomes, problem, at
            self._say("database", problem=str(error))

    # What happens each second, and each five

    def _each(self, seconds: float, work: Callable[[], None]) -> None:
        """Does something again and again, until all has ended."""
        while True:
            try:
                work()
            except Exception as error:
                self._say("internal_error", doing=work.__name__, problem=repr(error))
            if self._ended.wait(seconds):
                return

    def _beat(self) -> None:
        """Heartbeat: also hears of the others. Without an answer the last ring goes on."""
        with self._beating:  # what two of them have heard must not come in another order
            self._beat_once()

    def _beat_once(self) -> None:
        """One heartbeat, while there is no other."""
        if self._is_stopping:
            # It has left, unless the database was gone, or this thread was about to register.
            if self._is_registered:
                self._leave()
            return
        try:
            if not self._is_registered:
                self._database.prepare()
                if not self._has_registered():
                    return
            told = self._ask(lambda: (len(self._core.items), len(self._runs), self._why_starting()))
        except TimeoutError as error:
            # Who does not turn is not alive: the others take over.
            self._say("internal_error", doing="beat", problem=str(error))
            return
        except (ValueError, OSError) as error:
            self._has_not_beaten(error)
            return
        try:
            beats = self._database.beat(*told)
        except (ValueError, OSError) as error:
            self._has_not_beaten(error)
            return
        if self._database_problem:
            self._database_problem = ""
            self._say("database", is_back=True)
        self._beaten = monotonic()
        self._inbox.put(beats)
        was_gone, self._is_database_gone = self._is_database_gone, False
        if was_gone or self._unended:
            self._work("database", self._catch_up)

    def _has_not_beaten(self, error: ValueError | OSError) -> None:
        """The database is gone, which is said once; or it refuses this node, for good."""
        if isinstance(error, ValueError):
            self._fail(error)
            return
        self._is_database_gone = True
        is_long = self._beaten is None or monotonic() - self._beaten > BEAT_LOST
        if is_long and str(error) != self._database_problem:
            self._database_problem = str(error)
            self._say("database", problem=str(error))

    def _has_registered(self) -> bool:
        """Takes this node's id: that of a process which died is free when its heartbeat is stale.

        Raises:
            NodeInUse: the other one is alive still.
        """
        try:
            self._database.register(self._ask(self._why_starting))
        except NodeInUse as error:
            if monotonic() - self._began > STALE + 2 * HEARTBEAT:
                raise
            self._unregistered = str(error)
            self._say("database", problem=str(error))
            return False
        self._is_registered, self._unregistered = True, ""
        return True

    def _fail(self, error: Exception) -> None:
        """The node cannot go on: it lets its runs end, and `run` raises the error."""
        self.failure = error
        self.stop()

    def _tick(self) -> None:
        """Looks at what may have happened to state, the engine's clock, memory, the project."""
        if self._is_stopping:
            if not self._ended.is_set() and monotonic() >= self._end_by:
                # What is not settled by now never may be: the next owner recovers it.
                self._pool.stop(LAST_GRACE)
            return
        if self._project is not None and self._state.is_changed():
            self._inbox.put(m.Dirty())
        self._look_at_memory()
        self._look_at_project()
        if not self._is_looking and self._state.needs_look():
            self._is_looking = True
            self._work("dbt", self._look)

    def _look(self) -> None:
        """Has the engine asked for its clock; the fetch that follows tells the core."""
        try:
            self._state.look()
            self._inbox.put(m.Dirty())
        except OSError as error:
            self._say("clock", problem=str(error))
        finally:
            self._is_looking = False

    def _listen(self) -> None:
        """Looks at what people want: settings, commands."""
        if self._is_stopping:
            return
        try:
            stored = self._database.settings()
            if stored != self._stored:
                self._inbox.put(lambda: self._take_settings(stored))
            for command in self._database.commands():
                self._inbox.put(lambda command=command: self._obey(command))  # type: ignore[misc]
        except OSError:
            return  # the heartbeat says so

    def _look_at_memory(self) -> None:
        """Tells the core when memory passes its threshold."""
        used = memory_used()
        is_high = used is not None and used > self.options.memory
        if is_high != self._is_memory_high:
            self._is_memory_high = is_high
            self._say("memory", percent=used, is_high=is_high)
            self._inbox.put(m.Memory(is_high))

    # The project

    def _look_at_project(self) -> None:
        """Loads it at the start, when its files have changed, and again where that failed."""
        now = monotonic()
        if self._is_loading:
            return
        is_changed = now >= self._watch_at and self._is_changed(now)
        self._is_new |= is_changed
        is_missing = self._project is None or bool(self._unreached) or self._state.is_outdated
        again = is_missing and not self._unparsed and now >= self._load_at
        if is_changed or again:
            self._is_loading = True
            self._work("dbt", self._load, self._is_new)

    def _is_changed(self, now: int) -> bool:
        """Whether its files have; a large project is looked at less often."""
        is_changed = self._watch.is_changed(now / SECOND)
        self._watch_at = now + int((monotonic() - now) / WATCHING)
        return is_changed

    def _load(self, is_new: bool) -> None:
        """Asks dbt for the project."""
        began = monotonic()
        try:
            project = self._state.load(is_new)
            self._is_new, self._loads, self._unreached = False, 0, ""
            self._belong(
                f"{project.name}, target {project.target}, state {project.tables.views.name}"
            )
            stored = self._read_settings()
            self._inbox.put(lambda: self._take_loaded(project, is_new, stored))
        except (NotParsedError, ValueError) as error:
            self._have_refused(str(error))
        except OSError as error:
            self._loads += 1
            self._unreached = str(error)
            if not self._is_stopping:
                self._say("project", problem=str(error))
        except Exception as error:
            self._say("internal_error", doing="load", problem=repr(error))
            self._have_refused(repr(error))
        finally:
            now, pace = monotonic(), self.options.pace
            wait = max(int(pace.reload * SECOND), int((now - began) / LOADING))
            if self._loads:
                wait = backoff(self._loads, int(pace.again * SECOND), LOAD_AGAIN_MOST)
            self._load_at = now + wait
            self._is_loading = False

    def _have_refused(self, problem: str) -> None:
        """Has the project refused: what was loaded before is not what it is now."""

        def refuse() -> None:
            self._loaded = None
            self._refuse_project(problem)

        self._inbox.put(refuse)

    def _refuse_project(self, problem: str) -> None:
        """Nothing starts until it is mended."""
        if not self._unparsed:
            self._held_since = self._now()
        self._unparsed = problem
        self._say("project", problem=problem)
        self._step([m.ProjectFailed()])

    def _belong(self, service: str) -> None:
        """Refuses a database of another project, target or state."""
        try:
            self._database.belong_to(service)
        except ValueError as error:
            self._fail(error)
        except OSError:
            return  # the heartbeat says so

    def _settings_of(self, project: Project, stored: Mapping[str, str]) -> m.Settings:
        """Settings for a project: what is stored counts over what this node was started with.

        Raises:
            ValueError: they do not fit it.
        """
        given: dict[str, object] = {**self.options.given, **stored}
        if is_session(project):
            if config.count(given.get("workers", 1)) > 1:
                raise ValueError(
                    "workers: a session target runs Spark in dbt's own process, and one at a time"
                    " can use its metastore: give 1, or a thrift target"
                )
            given["workers"] = 1
        lease = int(project.lease)
        config.check_timeouts(project.models, lease)
        settings = config.settings_from(
            given, self.options.pools, broken_after=project.broken_after, lease=lease
        )
        return config.with_holds(settings, self.options.windows, project.models, project.selects)

    def _fitting_settings(self, project: Project) -> m.Settings:
        """Settings for a project; of those that were set meanwhile, what does not fit is left out.

        Raises:
            ValueError: what this node was started with does not fit.
        """
        stored = {name: value for name, value in self._stored.items() if value}  # else given back
        if not self._misfit(project, stored):
            return self._settings_of(project, stored)
        self._settings_of(project, {})
        fitting: dict[str, str] = {}
        for name, value in stored.items():
            if problem := self._misfit(project, {**fitting, name: value}):
                self._say("settings", problem=problem)
            else:
                fitting[name] = value
        return self._settings_of(project, fitting)

    def _misfit(self, project: Project, stored: Mapping[str, str]) -> str:
        """Why settings do not fit a project; empty where they do."""
        try:
            self._settings_of(project, stored)
        except ValueError as error:
            return str(error)
        return ""

    def _read_settings(self) -> dict[str, str]:
        """What was set, before the first run goes by it; without the database, what is known."""
        try:
            return self._database.settings()
        except OSError:
            return self._stored  # the heartbeat says so

    def _take_loaded(self, project: Project, is_new: bool, stored: dict[str, str]) -> None:
        """A project, with the settings that were found beside it."""
        self._stored = stored
        self._take_project(project, is_new)

    def _take_project(self, project: Project, is_new: bool) -> None:
        """The project as it is from now on; where settings do not fit, once they do.

        Args:
            project: as dbt tells it.
            is_new: its files have changed.
        """
        is_first, self._loaded = self._project is None, project
        try:
            settings = self._fitting_settings(project)
        except ValueError as error:
            self._refuse_project(str(error))
            return
        self._project, self._unparsed = project, ""
        self._pool.configure(settings.workers, is_session=is_session(project))
        if is_new and not is_first:
            self._pool.replace()
        self._say("project", name=project.name, target=project.target, models=len(project.models))
        self._step([m.Set(settings), m.Project(project.models)])

    def _take_settings(self, stored: dict[str, str]) -> None:
        """Settings that somebody has set."""
        if stored == self._stored:
            return
        self._stored = stored
        if self._loaded is not None and self._loaded is not self._project:
            self._take_project(self._loaded, is_new=True)
            return
        if self._project is None:
            return
        settings = self._fitting_settings(self._project)
        self._pool.configure(settings.workers, is_session=is_session(self._project))
        self._say("settings", **config.shown(settings))
        self._step([m.Set(settings)])

    # Commands

    def _obey(self, command: Command) -> None:
        """Does what somebody has asked for, if this node is the one that has to."""
        if self._is_stopping or command.id in self._obeying or not self._is_for_me(command):
            return
        self._obeying.add(command.id)
        lane = "hold" if command.verb in HOLDS else "command"
        self._work(lane, self._obey_now, command, monotonic())

    def _is_for_me(self, command: Command) -> bool:
        """One node owns each view and log; what no node owns is answered by the first one."""
        if command.verb == "drain":
            return command.subject == self.options.node
        if self._project is None or not self._core.is_member:
            return False
        models = [self._project.models[id_] for id_ in self._called(command.subject)]
        return self._core.owner(models[0].unit if models else "") == self.options.node

    def _called(self, name: str) -> list[str]:
        """Ids of the views and logs that a user means by a name."""
        project = self._project
        if project is None or name in project.models:
            return [name] if project else []
        selects = project.selects
        return [id_ for id_ in project.models if config.is_called(id_, selects.get(id_, ""), name)]

    def _obey_now(self, command: Command, asked: int) -> None:
        """Takes a command, does it, answers it; unless nobody waits for it any more.

        Args:
            command: to be done.
            asked: monotonic time when it was found.
        """
        try:
            is_late = self._is_stopping or monotonic() - asked > MINUTE
            if is_late or not self._database.take(command.id):
                return
            try:
                text = self._done(command)
                is_done = True
            except (ValueError, OSError) as error:
                text, is_done = str(error), False
            self._say("command", verb=command.verb, subject=command.subject, by=command.by,
                      is_done=is_done, answer=text)  # fmt: skip
            self._database.answer(command.id, is_done, text)
        except OSError as error:
            self._say("database", problem=str(error))
        finally:
            self._obeying.discard(command.id)

    def _done(self, command: Command) -> str:
        """Does a command.

        Raises:
            ValueError: it cannot be done.
            OSError: dbt or its engine cannot do it now.
        """
        verb, subject = command.verb, command.subject
        if verb == "drain":
            self.stop()
            return f"node {subject} lets its runs end, and stops"
        called = self._ask(lambda: self._called(subject))
        if len(called) != 1 and subject != "all":
            if called:
                raise ValueError(f"'{subject}' is more than one: {', '.join(called)}")
            raise ValueError(f"'{subject}' is no view or log of this project")
        if verb in HOLDS:
            id_ = called[0] if called else subject
            kind = self._project.models[id_].kind if self._project and called else "view"
            self._state.hold(verb, kind, id_)
            self._inbox.put(m.Dirty())
            return HOLDS[verb]
        if not called:
            raise ValueError(f"name one view or log to {verb}")
        event = m.RunNow(called[0]) if verb == "run" else m.CancelNow(called[0])
        refusal = self._ask(lambda: self._request(event))
        if refusal:
            raise ValueError(refusal)
        return "queued" if verb == "run" else "cancelled"

    def _request(self, event: m.RunNow | m.CancelNow) -> str:
        """Tells the core of a request. Returns why it was refused, or nothing."""
        self._refused.clear()
        self._step([event])
        return next((one.reason for one in self._refused if one.id == event.id), "")

    # What is shown

    def report(self) -> Report:
        """See `dbt_mview.serve.report.Reporter`."""
        try:
            nodes, runs = self._database.nodes(), self._database.runs()
        except OSError:
            nodes, runs = [], []
        problems, details = self._state.problems(), self._state.details()
        return self._ask(lambda: self._report(nodes, runs, problems, details))

    def _report(
        self,
        nodes: Sequence[NodeLine],
        runs: Sequence[RunLine],
        problems: Mapping[str, str],
        details: Mapping[str, Detail],
    ) -> Report:
        """Made by the loop's thread, between two steps."""
        core, project, now = self._core, self._project, self._now()
        open_runs = [run.line(name) for name, run in self._runs.items()]
        # What this process does not run is over, though the database may not have said so yet.
        own = f"{self.options.node}/{self.options.boot}/"
        is_over = [one.ended is not None or not one.run.startswith(own) for one in runs]
        others = [one for one, over in zip(runs, is_over, strict=True) if over]
        lines: tuple[ViewLine, ...] = ()
        if project is not None:
            running = {id_ for one in others if one.ended is None for id_ in one.ids}
            problems = {**problems, **self._problems}
            # A copy is made at once; other threads write to it.
            rows = self._state.rows.copy()
            seen = overview.Seen(core, project, rows, running, problems, details, now)
            lines = overview.view_lines(seen)
        health, problem = self._health()
        return Report(
            node=self.options.node,
            version=__version__,
            project=project.name if project else "",
            target=project.target if project else "",
            now=now,
            health=health,
            problem=problem,
            nodes=tuple(nodes),
            views=lines,
            runs=(*open_runs, *others),
            settings=config.shown(core.settings),
            skew=(now - time.time_ns() // 1000) / SECOND,
            fetched=_since(self._fetched),
            beaten=_since(self._beaten),
        )

    def _health(self) -> tuple[Health, str]:
        """What keeps this node from starting runs, the worst first; and what is to be done."""
        if self._is_stopping:
            return "stopping", "it lets its runs end"
        if self._unparsed:
            since = f"{moment(self._held_since):%Y-%m-%d %H:%M:%S} UTC"
            return "project", f"nothing starts since {since}, until it is mended: {self._unparsed}"
        if self._unreached or self._unprobed:
            return "engine", f"it is tried again: {self._unreached or self._unprobed}"
        if self._unregistered:
            return "starting", self._unregistered
        is_gone = self._beaten is not None and monotonic() - self._beaten > BEAT_LOST
        if is_gone or (self._beaten is None and self._database_problem):
            going_on = "the nodes go on as they last knew each other"
            return "database", f"it does not answer: {going_on}: {self._database_problem}"
        if self._project is None or self._core.ring is None:
            return "starting", "it asks dbt for the project"
        if self._fetched is None:
            why = f", which fails: {self._unread}" if self._unread else ""
            return "starting", f"it reads state for the first time{why}"
        if not self._core.is_member:
            return "starting", "it tells the other nodes that it takes work from now on"
        if monotonic() - self._fetched > 3 * self._interval():
            return "state", "it was not read for three intervals: see the log"
        if self._is_memory_high:
            return "memory", f"more than {self.options.memory} % are in use"
        return "ok", ""

    def _why_starting(self) -> str:
        """Why this node takes no work yet: what it owned would wait for it. Empty once it can.

        The core reads state once a project is loaded, so a first answer says that both were done.
        """
        return "" if self._fetched is not None else first_line(self._health()[1])

    def _interval(self) -> int:
        """Between two fetches."""
        return self._core.settings.fetch_interval

    def _now(self) -> int:
        """The engine's clock."""
        return monotonic() + self._core.offset

    def is_ready(self) -> tuple[bool, str]:
        """See `dbt_mview.serve.report.Reporter`."""
        health, problem = self._health()
        return health in ("ok", "memory"), f"{health}: {problem}" if problem else health

    def request(self, verb: str, id_: str, by: str) -> tuple[bool, str]:
        """See `dbt_mview.serve.report.Reporter`."""
        return self._database.request(verb, id_, by, ANSWER_WITHIN, self.options.pace.answer)

    def is_alive(self) -> bool:
        """See `dbt_mview.serve.report.Reporter`."""
        return monotonic() - self._turned < ANSWER_WITHIN * SECOND


def memory_used() -> int | None:
    """Percent of the machine's memory in use; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    kib = dict(re.findall(r"^(MemTotal|MemAvailable): +(\d+) kB$", text, re.MULTILINE))
    if len(kib) < 2:
        return None
    return 100 - 100 * int(kib["MemAvailable"]) // int(kib["MemTotal"])


def _name(work: Callable[..., object]) -> str:
    """What a bug is told to be in."""
    return getattr(work, "__qualname__", repr(work))


def _since(at: int | None) -> float | None:
    """Seconds since then; None for never."""
    return None if at is None else (monotonic() - at) / SECOND
