"""One node of the service: its parts, what each action of the core is, and what it shows.

One thread owns the core, and all of a node that is not locked: see `loop`. This module connects
the parts, hands each action to the one that does it, and looks again and again at what may have
happened: to state, the engine's clock, memory, the project, the database.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial

from dbt_mview import __version__
from dbt_mview.schedule import moment
from dbt_mview.serve import config, overview
from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.events import EventLog, Lineage
from dbt_mview.serve.executing import Executor
from dbt_mview.serve.flashback import KEY, Trackpoints
from dbt_mview.serve.heartbeat import Heartbeat
from dbt_mview.serve.loading import Loading
from dbt_mview.serve.log_state import Detail
from dbt_mview.serve.loop import ANSWER_WITHIN, Loop
from dbt_mview.serve.members import Database
from dbt_mview.serve.memory import Memory
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.obeying import Obeying
from dbt_mview.serve.options import Options
from dbt_mview.serve.project import Flashback, Watch
from dbt_mview.serve.report import Health, NodeLine, Report, RunLine, ViewLine
from dbt_mview.serve.state import State
from dbt_mview.serve.times import SECOND
from dbt_mview.serve.words import first_line
from dbt_mview.serve.workers import Workers

# Seconds that a request waits for its answer, as the command line does: an operation of dbt, in a
# process that may have to import it.
REQUEST_WITHIN = 60.0
LAST_GRACE = 10.0  # seconds; runs have ended by then, what is left does nothing
# After the runs were to have ended, what is left of them has so long to be settled.
END_WITHIN = 90 * SECOND


class Service:
    """One node, from `run` until `stop` was asked and all has ended."""

    def __init__(
        self,
        options: Options,
        database: Database,
        workers: Workers,
        state: State,
        watch: Watch,
        log: EventLog,
        metrics: Metrics,
        lineage: Lineage | None = None,
    ) -> None:
        """Connects the parts; nothing runs yet."""
        self.options = options
        self.failure: Exception | None = None
        self._database = database
        self._workers = workers
        self._state = state
        self._say = log.write
        self._metrics = metrics
        settings = config.settings_from(
            options.given, options.pools, broken_after=m.Settings().broken_after, lease=None
        )
        self._loop = Loop(options, settings, log, self._do)
        self._core = self._loop.core
        self._loading = Loading(options, self._loop, database, workers, state, watch, self._fail)
        self._executor = Executor(
            options,
            self._loop,
            self._loading,
            database,
            workers,
            state,
            metrics,
            lineage,
            lambda: self._heartbeat.is_gone,
        )
        self._heartbeat = Heartbeat(
            self._loop, database, self._told, self._executor.has_beaten, self._fail
        )
        self._obeying = Obeying(options, self._loop, self._loading, database, state, self.stop)
        self._memory = Memory(self._loop, options.memory)
        self._trackpoints = Trackpoints(
            workers.operate, self._flashback, self._has_flashback, self._say
        )
        self._end_by = 0
        self._unread = ""
        self._unprobed = ""
        self._fetched: int | None = None
        self._is_polling = False
        self._is_looking = False

    def run(self) -> None:
        """Turns until the core says that all has ended. Called on the thread that may block.

        Raises:
            ValueError: this node cannot be one of the service; the error says why.
        """
        pace = self.options.pace
        helpers = [
            threading.Thread(target=self._loop.each, args=(seconds, work), daemon=True)
            for seconds, work in (
                (pace.beat, self._heartbeat.beat),
                (pace.tick, self._tick),
                (pace.tick, self._listen),
                (pace.tick, self._trackpoints.tick),
            )
        ]
        for helper in helpers:
            helper.start()
        try:
            while not self._loop.ended.is_set():
                self._loop.step(self._loop.take(self._note))
        finally:
            self._loop.ended.set()
            ending = threading.Thread(target=self._wind_up, args=(helpers,))
            ending.start()
            # Whoever asks is answered to the end.
            self._loop.answer_until(lambda: not ending.is_alive())
        if self.failure is not None:
            raise self.failure

    def _wind_up(self, helpers: Sequence[threading.Thread]) -> None:
        """Ends the threads. What waits for dbt is told that it has ended."""
        self._workers.stop(LAST_GRACE)
        for helper in helpers:
            helper.join()
        self._loop.shut(is_at_once=self._heartbeat.is_gone)
        if self._heartbeat.is_registered:
            self._heartbeat.leave()
        self._loop.call(lambda: None)

    def stop(self) -> None:
        """SIGTERM, Ctrl-C or `drain`; the second time it cancels. May be called by a signal."""
        # A second one does not wait for runs.
        drain = 0 if self._loop.is_stopping else self._core.settings.drain
        self._end_by = monotonic() + drain + END_WITHIN
        self._loop.is_stopping = True
        self._loop.tell(m.Stop())

    def _fail(self, error: Exception) -> None:
        """The node cannot go on: it lets its runs end, and `run` raises the error."""
        self.failure = error
        self.stop()

    def _note(self, event: m.Event) -> None:
        """What the service itself has to know of an event, before the core is told."""
        if isinstance(event, m.Fetched):
            if self._fetched is None:
                # It can take work: the others are told at once.
                self._loop.work("database", self._heartbeat.beat)
            self._fetched, self._unread = monotonic(), ""
        elif isinstance(event, m.Settled) and event.rows is not None:
            self._executor.end(event)
        elif isinstance(event, m.Returned) and event.how != "done":
            # The core starts nothing until a probe is good, unless it has ended the run itself.
            run = self._executor.runs.get(event.run)
            if run is not None and not run.cancelled:
                self._unprobed = run.problem() or event.how

    # Actions

    def _do(self, action: m.Action) -> None:
        """Hands an action to a thread."""
        match action:
            case m.Fetch():
                self._loop.answer("state", self._fetch, action)
            case m.Start():
                self._executor.start(action)
            case m.Cancel():
                self._executor.cancel(action)
            case m.Settle():
                self._executor.settle(action)
            case m.Plan():
                self._loop.answer("dbt", self._state.plan, action)
            case m.PollSources():
                # One that takes longer than the pause between two is not asked twice.
                if not self._is_polling:
                    self._is_polling = True
                    self._loop.answer("state", self._poll, action)
            case m.FindRuns():
                self._loop.answer("database", self._find_runs, action)
            case m.Probe():
                self._loop.answer("dbt", self._probe, action)
            case m.Refused():
                self._obeying.refused.append(action)
            case m.Leave():
                self._say("stopping")
                if self._heartbeat.is_registered:
                    self._loop.work("database", self._heartbeat.leave)
            case m.Stopped():
                if self._executor.runs:
                    self._loop.work("database", self._heartbeat.be_lost)
                self._loop.ended.set()

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

    def name_run(self, run: str, invocation: str) -> None:
        """Dbt has begun: see `Executor.name_run`."""
        self._executor.name_run(run, invocation)

    # What happens each second

    def _tick(self) -> None:
        """Looks at what may have happened to state, the engine's clock, memory, the project."""
        if self._loop.is_stopping:
            if not self._loop.ended.is_set() and monotonic() >= self._end_by:
                # What is not settled by now never may be: the next owner recovers it.
                self._workers.stop(LAST_GRACE)
            return
        if self._loading.project is not None and self._state.is_changed():
            self._loop.tell(m.Dirty())
        self._memory.look()
        self._loading.look()
        if not self._is_looking and self._state.needs_look():
            self._is_looking = True
            self._loop.work("dbt", self._look)

    def _flashback(self) -> Flashback | None:
        """How often track points are made and cleaned; None while that is not to be done."""
        project = self._loading.project
        return None if project is None or self._loop.is_stopping else project.flashback

    def _has_flashback(self) -> bool:
        """Whether it is this node that makes and cleans track points."""
        ring = self._core.ring
        return ring is not None and ring.owner(KEY) == self.options.node

    def _look(self) -> None:
        """Has the engine asked for its clock; the fetch that follows tells the core."""
        try:
            self._state.look()
            self._loop.tell(m.Dirty())
        except OSError as error:
            self._say("clock", problem=str(error))
        finally:
            self._is_looking = False

    def _listen(self) -> None:
        """Looks at what people want: settings, commands."""
        if self._loop.is_stopping:
            return
        try:
            stored = self._database.settings()
            if stored != self._loading.stored:
                self._loop.call(lambda: self._loading.take_settings(stored))
            for command in self._database.commands():
                self._loop.call(partial(self._obeying.obey, command))
        except OSError:
            return  # the heartbeat says so

    # What is shown

    def report(self) -> Report:
        """See `dbt_mview.serve.report.Reporter`."""
        try:
            nodes, runs = self._database.nodes(), self._database.runs()
        except OSError:
            nodes, runs = [], []
        problems, details = self._state.problems(), self._state.details()
        return self._loop.ask(lambda: self._report(nodes, runs, problems, details))

    def _report(
        self,
        nodes: Sequence[NodeLine],
        runs: Sequence[RunLine],
        problems: Mapping[str, str],
        details: Mapping[str, Detail],
    ) -> Report:
        """Made by the loop's thread, between two steps."""
        core, project, now = self._core, self._loading.project, self._loop.now()
        open_runs = [run.line(name) for name, run in self._executor.runs.items()]
        # What this process does not run is over, though the database may not have said so yet.
        own = f"{self.options.node}/{self.options.boot}/"
        is_over = [one.ended is not None or not one.run.startswith(own) for one in runs]
        others = [one for one, over in zip(runs, is_over, strict=True) if over]
        lines: tuple[ViewLine, ...] = ()
        if project is not None:
            running = {id_ for one in others if one.ended is None for id_ in one.ids}
            problems = {**problems, **self._executor.problems}
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
            beaten=_since(self._heartbeat.beaten),
        )

    def _health(self) -> tuple[Health, str]:
        """What keeps this node from starting runs, the worst first; and what is to be done."""
        if self._loop.is_stopping:
            return "stopping", "it lets its runs end"
        loading = self._loading
        if loading.unparsed:
            since = f"{moment(loading.held_since):%Y-%m-%d %H:%M:%S} UTC"
            return (
                "project",
                f"nothing starts since {since}, until it is mended: {loading.unparsed}",
            )
        if why := loading.unreached or self._unprobed:
            return "engine", f"it is tried again: {why}"
        if self._heartbeat.unregistered:
            return "starting", self._heartbeat.unregistered
        if self._heartbeat.is_lost():
            going_on = "the nodes go on as they last knew each other"
            return "database", f"it does not answer: {going_on}: {self._heartbeat.problem}"
        if loading.project is None or self._core.ring is None:
            return "starting", "it asks dbt for the project"
        if self._fetched is None:
            why = f", which fails: {self._unread}" if self._unread else ""
            return "starting", f"it reads state for the first time{why}"
        if not self._core.is_member:
            return "starting", "it tells the other nodes that it takes work from now on"
        if monotonic() - self._fetched > 3 * self._interval():
            return "state", "it was not read for three intervals: see the log"
        if self._memory.is_high:
            return "memory", f"more than {self.options.memory} % are in use"
        return "ok", ""

    def _why_starting(self) -> str:
        """Why this node takes no work yet: what it owned would wait for it. Empty once it can.

        The core reads state once a project is loaded, so a first answer says that both were done.
        """
        return "" if self._fetched is not None else first_line(self._health()[1])

    def _told(self) -> tuple[int, int, str]:
        """What a heartbeat says: units, runs, why it takes no work yet."""
        return len(self._core.items), len(self._executor.runs), self._why_starting()

    def _interval(self) -> int:
        """Between two fetches."""
        return self._core.settings.fetch_interval

    def is_ready(self) -> tuple[bool, str]:
        """See `dbt_mview.serve.report.Reporter`."""
        health, problem = self._health()
        return health in ("ok", "memory"), f"{health}: {problem}" if problem else health

    def request(self, verb: str, id_: str, by: str) -> tuple[bool, str]:
        """See `dbt_mview.serve.report.Reporter`."""
        return self._database.request(verb, id_, by, REQUEST_WITHIN, self.options.pace.answer)

    def is_alive(self) -> bool:
        """See `dbt_mview.serve.report.Reporter`."""
        return monotonic() - self._loop.turned < ANSWER_WITHIN * SECOND


def _since(at: int | None) -> float | None:
    """Seconds since then; None for never."""
    return None if at is None else (monotonic() - at) / SECOND
