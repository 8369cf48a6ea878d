"""One node of the service: the loop around the core, and the threads that do what it asks for.

One thread owns the core, and all of a node that is not locked: it takes what happened from the
inbox, calls `Core.step`, and hands each action to another thread, whose answer comes back as an
event. What others want to know is asked of that thread too, and answered between two steps.
"""

from __future__ import annotations

import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswer
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dbt_mview import __version__
from dbt_mview.serve import config, overview
from dbt_mview.serve import messages as m
from dbt_mview.serve.core import Core
from dbt_mview.serve.events import EventLog, Lineage
from dbt_mview.serve.members import Command, Database, NodeInUse
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.project import Project, Watch
from dbt_mview.serve.report import Health, NodeLine, Report, RunLine, ViewLine
from dbt_mview.serve.ring import HEARTBEAT, STALE
from dbt_mview.serve.runs import Run
from dbt_mview.serve.state import NotParsedError, State, monotonic
from dbt_mview.serve.times import SECOND, backoff
from dbt_mview.serve.workers import Answer, Pool

T = TypeVar("T")
TICK = 1.0  # seconds between two looks at commands, settings, state's newest commit and memory
ANSWER_WITHIN = 10.0
ANSWER_LOOK = 0.1
BEAT_LOST = 3 * HEARTBEAT
IO_THREADS = 8  # for what is short; each run has a thread of its own
LOAD_AGAIN_MOST = 30 * SECOND


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
    """

    node: str
    boot: str
    given: Mapping[str, object] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    windows: Sequence[config.Window] = ()
    memory: int = 95


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
        self._io = ThreadPoolExecutor(IO_THREADS, thread_name_prefix="io")
        settings = config.settings_from(
            options.given, options.pools, broken_after=m.Settings().broken_after, lease=None
        )
        seed = sum(options.node.encode())
        self._core = Core(options.node, options.boot, settings, seed)
        self._ended = threading.Event()
        self._is_stopping = False
        self._is_registered = False
        self._database_problem = ""
        self.failure: Exception | None = None
        # What the loop's thread knows beyond the core.
        self._project: Project | None = None
        self._unparsed = ""
        self._unreached = ""
        self._stored: dict[str, str] = {}
        self._runs: dict[str, Run] = {}
        self._problems: dict[str, str] = {}
        self._refused: list[m.Refused] = []
        self._began = self._turned = monotonic()
        self._fetched: int | None = None
        self._beaten: int | None = None
        self._is_memory_high = False
        self._loading = False
        self._load_at = 0
        self._loads = 0

    # The loop

    def run(self) -> None:
        """Turns until the core says that all has ended. Called on the thread that may block.

        Raises:
            ValueError: this node cannot be one of the service; the error says why.
        """
        helpers = [
            threading.Thread(target=self._each, args=(HEARTBEAT / SECOND, self._beat), daemon=True),
            threading.Thread(target=self._each, args=(TICK, self._tick), daemon=True),
        ]
        for helper in helpers:
            helper.start()
        try:
            while not self._ended.is_set():
                self._step(self._take())
        finally:
            self._ended.set()
            self._io.shutdown()  # also of what says how the last runs ended
            for helper in helpers:
                helper.join()
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """SIGTERM, Ctrl-C or `drain`; the second time it cancels. May be called by a signal."""
        self._is_stopping = True
        self._inbox.put(m.Stop())

    def _take(self) -> list[m.Event]:
        """Waits for what happens until the core wants to be called; at most a tick."""
        events: list[m.Event] = []
        wait = min(max(self._core.wake() - monotonic(), 0) / SECOND, TICK)
        try:
            one = self._inbox.get(timeout=wait)
            while True:
                if callable(one):
                    one()
                else:
                    self._note(one)
                    events.append(one)
                one = self._inbox.get_nowait()
        except queue.Empty:
            return events

    def _step(self, events: Iterable[m.Event]) -> None:
        """Tells the core, and has done what it wants."""
        self._turned = monotonic()
        was = self._core.ring
        for action in self._core.step(self._turned, events):
            self._do(action)
        if self._core.ring is not was and self._core.ring is not None:
            self._say("ring", nodes=list(self._core.ring.nodes))

    def _note(self, event: m.Event) -> None:
        """What the service itself has to know of an event, before the core is told."""
        if isinstance(event, m.Fetched):
            self._fetched = monotonic()
        elif isinstance(event, m.Settled) and event.rows is not None:
            self._end(event)

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
                self._answer(self._fetch, action)
            case m.Start():
                self._start(action)
            case m.Cancel():
                self._say("cancelling", run=action.run, reason=action.reason)
                self._runs[action.run].cancelled = action.reason
                self._pool.cancel(action.run)
            case m.Settle():
                run = self._runs.get(action.run)
                told = (run.took(), run.invocation) if run else ({}, "")
                self._answer(self._state.settle, action, *told)
            case m.Plan():
                self._answer(self._state.plan, action)
            case m.PollSources():
                self._answer(self._state.poll, action)
            case m.FindRuns():
                self._answer(self._find_runs, action)
            case m.Probe():
                self._answer(self._probe)
            case m.Refused():
                self._refused.append(action)
            case m.Leave():
                self._say("stopping")
                self._answer(self._leave)
            case m.Stopped():
                if self._runs:
                    self._be_lost()
                self._ended.set()

    def _answer(self, work: Callable[..., m.Event | None], *args: Any) -> None:
        """Does something on another thread; what it returns is an event."""

        def done() -> None:
            try:
                event = work(*args)
            except Exception as error:
                # A bug, or a library that raises what it does not say: never in silence.
                self._say("internal_error", doing=work.__name__, problem=repr(error))
                event = self._failed(args[0] if args else None)
            if event is not None:
                self._inbox.put(event)

        self._io.submit(done)

    def _failed(self, action: object) -> m.Event | None:
        """What the core is told where an action ended in an error that nobody expected."""
        match action:
            case m.Fetch(number):
                return m.FetchFailed(number)
            case m.Settle(run):
                return m.Settled(run, None)
            case m.Plan(times):
                return m.Planned(tuple(times))
            case None:
                return m.Probed(is_good=False)
        return None

    def _fetch(self, action: m.Fetch) -> m.Event:
        """Reads state."""
        began = monotonic()
        try:
            found = self._state.fetch(action)
        except OSError as error:
            self._metrics.fetched((monotonic() - began) / SECOND, ok=False)
            self._say("fetch_failed", problem=str(error))
            return m.FetchFailed(action.number)
        self._metrics.fetched((monotonic() - began) / SECOND, ok=True)
        return found

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
        except OSError as error:
            self._say("database", problem=str(error))

    def _be_lost(self) -> None:
        """What could not be settled is for the others, or for this node's next start."""
        try:
            self._database.be_lost()
        except OSError as error:
            self._say("database", problem=str(error))

    def _probe(self) -> m.Event:
        """Whether dbt connects and parses."""
        try:
            self._state.look()
        except OSError as error:
            self._say("breaker", problem=str(error))
            return m.Probed(is_good=False)
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
        self._begin_row(run)
        try:
            command = ["run", "--select", *chosen]
            answer = self._pool.run(action.run, command) if chosen else Answer("done")
        except Exception as error:
            self._say("internal_error", doing="run", problem=repr(error))
            answer = Answer("error", problem=repr(error))
        run.answer = answer
        self._metrics.run("cancelled" if run.cancelled else answer.how)
        self._inbox.put(m.Returned(action.run, answer.how))

    def _begin_row(self, run: Run) -> None:
        """Writes it down, for whoever has to recover it."""
        action = run.action
        try:
            self._database.begin_run(action.run, action.kind, action.ids, run.began)
            run.is_stored = True
        except OSError as error:
            # All but the outbox may be lost: without the row, the lease ends what this node leaves.
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
        if not known.is_stored:
            self._begin_row(known)
        try:
            self._database.name_run(run, invocation)
        except OSError as error:
            self._say("database", problem=str(error))

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
                self._metrics.ended(run.action.kind, outcome, run.took().get(name, 0.0))
                said = run.said(name)
                if outcome == "failed":
                    self._problems[name] = said or problem
                elif outcome in ("success", "skip"):
                    self._problems.pop(name, None)
        self._say("ended", run=event.run, how=how, outcomes=outcomes, problem=problem)
        at = self._now()
        self._io.submit(self._end_row, event.run, how, outcomes, problem, at)
        if self._lineage is not None and run is not None:
            for name, outcome in outcomes.items():
                said = self._problems.get(name, problem)
                self._lineage.ended(event.run, name, at, outcome, said)

    def _end_row(self, run: str, how: str, outcomes: dict[str, str], problem: str, at: int) -> None:
        """Writes it down."""
        try:
            self._database.end_run(run, how, outcomes, problem, at)
        except OSError as error:
            # It is found as an orphan later, and settled once more, which changes nothing.
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
        if self._is_stopping:
            return
        try:
            if not self._is_registered:
                self._database.prepare()
                if not self._has_registered():
                    return
            owned, running = self._ask(lambda: (len(self._core.items), len(self._runs)))
            beats = self._database.beat(owned, running)
        except ValueError as error:
            self._fail(error)
        except OSError as error:
            is_new = self._beaten is None or monotonic() - self._beaten > BEAT_LOST
            if is_new and str(error) != self._database_problem:
                self._database_problem = str(error)
                self._say("database", problem=str(error))
        else:
            if self._database_problem:
                self._database_problem = ""
                self._say("database", is_back=True)
            self._beaten = monotonic()
            self._inbox.put(beats)

    def _has_registered(self) -> bool:
        """Takes this node's id: that of a process which died is free when its heartbeat is stale.

        Raises:
            NodeInUse: the other one is alive still.
        """
        try:
            self._database.register()
        except NodeInUse as error:
            if monotonic() - self._began > STALE + 2 * HEARTBEAT:
                raise
            self._say("database", problem=str(error))
            return False
        self._is_registered = True
        return True

    def _fail(self, error: Exception) -> None:
        """The node cannot go on: it lets its runs end, and `run` raises the error."""
        self.failure = error
        self.stop()

    def _tick(self) -> None:
        """Looks at what others may have done: to state, settings, commands, the project."""
        if self._is_stopping:
            return
        if self._project is not None and self._state.is_changed():
            self._inbox.put(m.Dirty())
        self._look_at_memory()
        self._look_at_project()
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
        if self._loading:
            return
        is_changed = self._watch.is_changed(monotonic() / SECOND)
        again = (self._project is None or self._unreached) and not self._unparsed
        if is_changed or (again and monotonic() >= self._load_at):
            self._loading = True
            self._io.submit(self._load)

    def _load(self) -> None:
        """Asks dbt for the project."""
        try:
            project = self._state.load()
            place = f"{project.name}, target {project.target}, state {project.tables.views.name}"
            self._belong(place)
            settings = self._settings_of(project, self._stored)
            self._inbox.put(lambda: self._take_project(project, settings))
            self._unparsed = self._unreached = ""
            self._loads = 0
        except (NotParsedError, ValueError) as error:
            self._unparsed = str(error)
            self._say("project", problem=str(error))
            self._inbox.put(m.ProjectFailed())
        except OSError as error:
            self._loads += 1
            self._unreached = str(error)
            self._load_at = monotonic() + backoff(self._loads, SECOND, LOAD_AGAIN_MOST)
            self._say("project", problem=str(error))
        except Exception as error:
            self._unparsed = repr(error)
            self._say("internal_error", doing="load", problem=repr(error))
        finally:
            self._loading = False

    def _belong(self, service: str) -> None:
        """Refuses a database of another project, target or state."""
        try:
            self._database.belong_to(service)
        except ValueError as error:
            self._fail(error)
        except OSError:
            return  # the heartbeat says so

    def _settings_of(self, project: Project, stored: Mapping[str, str]) -> m.Settings:
        """Settings: what `set` has stored counts over what this node was started with."""
        given: dict[str, object] = {**self.options.given, **stored}
        if is_session(project):
            if config.count(given.get("workers", 1)) > 1:
                raise ValueError(
                    "workers: a session target runs Spark in dbt's own process, and one at a time"
                    " can use its metastore: give 1, or a thrift target"
                )
            given["workers"] = 1
        settings = config.settings_from(
            given, self.options.pools, broken_after=project.broken_after, lease=int(project.lease)
        )
        return config.with_holds(settings, self.options.windows, project.models, project.selects)

    def _take_project(self, project: Project, settings: m.Settings) -> None:
        """The project as it is from now on."""
        is_first = self._project is None
        self._project = project
        self._pool.configure(settings.workers, is_session=is_session(project))
        if not is_first:
            self._pool.replace()
        self._say("project", name=project.name, target=project.target, models=len(project.models))
        self._step([m.Set(settings), m.Project(project.models)])

    def _take_settings(self, stored: dict[str, str]) -> None:
        """Settings that somebody has set."""
        self._stored = stored
        if self._project is None:
            return
        try:
            settings = self._settings_of(self._project, stored)
        except ValueError as error:
            self._say("settings", problem=str(error))
            return
        self._pool.configure(settings.workers, is_session=is_session(self._project))
        self._say("settings", **stored)
        self._step([m.Set(settings)])

    # Commands

    def _obey(self, command: Command) -> None:
        """Does what somebody has asked for, if this node is the one that has to."""
        if self._is_stopping or not self._is_for_me(command):
            return
        self._io.submit(self._obey_now, command)

    def _is_for_me(self, command: Command) -> bool:
        """One node owns each view and log; what no node owns is answered by the first one."""
        ring = self._core.ring
        if command.verb == "drain":
            return command.subject == self.options.node
        if ring is None or self._project is None:
            return False
        models = [self._project.models[id_] for id_ in self._called(command.subject)]
        return ring.owner(models[0].unit if models else "") == self.options.node

    def _called(self, name: str) -> list[str]:
        """Ids of the views and logs that a user means by a name."""
        project = self._project
        if project is None or name in project.models:
            return [name] if project else []
        selects = project.selects
        return [id_ for id_ in project.models if config.is_called(id_, selects.get(id_, ""), name)]

    def _obey_now(self, command: Command) -> None:
        """Takes a command, does it, answers it."""
        try:
            if not self._database.take(command.id):
                return
            try:
                text = self._done(command)
                is_done = True
            except (ValueError, OSError) as error:
                text, is_done = str(error), False
            self._say("command", verb=command.verb, subject=command.subject, by=command.by,
                      is_done=is_done, answer=text)  # fmt: skip
            self._database.answer(command.id, is_done, text)
        except Exception as error:
            self._say("internal_error", doing=command.verb, problem=repr(error))

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
        if verb in ("pause", "resume", "reset"):
            id_ = called[0] if called else subject
            kind = self._project.models[id_].kind if self._project and called else "view"
            self._state.hold(verb, kind, id_)
            self._inbox.put(m.Dirty())
            return {"pause": "paused", "resume": "resumed", "reset": "reset"}[verb]
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
        return self._ask(lambda: self._report(nodes, runs))

    def _report(self, nodes: Sequence[NodeLine], runs: Sequence[RunLine]) -> Report:
        """Made by the loop's thread, between two steps."""
        core, project, now = self._core, self._project, self._now()
        open_runs = [run.line(name) for name, run in self._runs.items()]
        others = [one for one in runs if one.run not in self._runs]
        lines: tuple[ViewLine, ...] = ()
        if project is not None:
            running = {id_ for one in others if one.ended is None for id_ in one.ids}
            problems = {**self._state.problems(), **self._problems}
            seen = overview.Seen(
                core, project, self._state.rows, running, problems, self._state.details(), now
            )
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
            return "project", f"nothing starts until it is mended: {self._unparsed}"
        if self._unreached:
            return "engine", f"it is tried again: {self._unreached}"
        if self._project is None or self._core.ring is None:
            return "starting", "it asks dbt for the project"
        if self._beaten is None or monotonic() - self._beaten > BEAT_LOST:
            return "database", "it does not answer: the nodes go on as they last knew each other"
        if self._fetched is None or monotonic() - self._fetched > 3 * self._interval():
            return "state", "it was not read for three intervals: see the log"
        if self._is_memory_high:
            return "memory", f"more than {self.options.memory} % are in use"
        return "ok", ""

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
        number = self._database.ask(verb, id_, by)
        until = monotonic() + ANSWER_WITHIN * SECOND
        while (answer := self._database.answer_of(number)) is None:
            if monotonic() > until:
                raise TimeoutError(f"no node has answered to {verb} {id_}")
            time.sleep(ANSWER_LOOK)
        return answer

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


def is_session(project: Project) -> bool:
    """Whether Spark runs in dbt's own process, so that one dbt at a time can run."""
    return project.method == "session" and not os.environ.get("SPARK_REMOTE")


def _since(at: int | None) -> float | None:
    """Seconds since then; None for never."""
    return None if at is None else (monotonic() - at) / SECOND
