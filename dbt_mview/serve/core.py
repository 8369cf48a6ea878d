"""The scheduler: what is due, who waits for whom, what starts, and what becomes of it.

`Core.step(now, events)` is told what happened and returns what is to be done; `Core.wake()` is when
it wants to be called again if nothing happens. It has no I/O, no thread and no clock, so that a day
of a cluster can be played within a second (tests/sim). The rules are those of TiDB's `pkg/mvs`, as
docs/scheduler-internals.md has them.

The core is made of parts, each of one concept, which share a `Moment`; here is what happens in
which order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.agenda import Agenda
from dbt_mview.serve.breaker import Breaker
from dbt_mview.serve.fetches import Fetches
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.judging import Judge
from dbt_mview.serve.known import Known
from dbt_mview.serve.listeners import Listeners
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.plans import Plans
from dbt_mview.serve.reading import Reading
from dbt_mview.serve.ring import Ring
from dbt_mview.serve.running import Running
from dbt_mview.serve.share import Share
from dbt_mview.serve.slots import Slots
from dbt_mview.serve.times import Holds, utc
from dbt_mview.serve.unit import CHANGED, IDLE, NEVER, PAUSED, QUEUED, RUNNING, WAITING


class Core:
    """One node's scheduler. Call `step`, do what it returns, call it again by `wake`.

    Attributes:
        node: its name.
        items: what it owns, by id of the unit; to be read only.
        problems: by id, why a cron expression could not be worked out.
        moment, share, known, agenda, slots, running, fetches: its parts; to be read only.
    """

    def __init__(self, node: str, boot: str, settings: m.Settings, seed: int = 0) -> None:
        """Knows nothing yet: it begins with the first `Beats` and the first `Project`.

        Args:
            node: its name.
            boot: differs at each start of the node, so that names of runs are unique.
            settings: of the service.
            seed: of the jitter.
        """
        self.node = node
        self.moment = moment = Moment(settings)
        self._graph = graph = Graph()
        self.share = Share(node, moment, graph)
        self.fetches = Fetches(moment)
        self._breaker = Breaker(moment)
        self._plans = Plans(moment)
        self._listeners = Listeners(moment, graph)
        self.known = Known(moment, graph, self._plans, self._listeners, seed)
        self.agenda = Agenda(moment, graph, self.known, self.share.is_ours)
        self._reading = Reading(moment, graph, self.share, self.known, self.agenda)
        self.slots = Slots(moment, self.share)
        judge = Judge(graph, self.known, self.agenda, self._reading)
        prefix = f"{node}/{boot}"
        self.running = Running(
            prefix, moment, graph, self._reading, self.slots, self._breaker, judge
        )
        self.items = self.known.items
        self.problems = self._plans.problems
        self._has_project = False
        self._is_parsed = False
        self._is_memory_high = False
        # Stopping: when runs are cancelled.
        self._stop_at: int | None = None
        self._is_stopped = False
        self._handlers: dict[type, Callable[[Any], None]] = {
            m.Fetched: self._fetched,
            m.FetchFailed: self.fetches.has_failed,
            m.Dirty: lambda _: self.fetches.make_dirty(),
            m.Stalled: lambda _: self.share.stalled(),
            m.Beats: self._beats,
            m.Orphans: self._orphans,
            m.Returned: self.running.has_returned,
            m.Settled: self.running.has_settled,
            m.Probed: self._probed,
            m.Planned: self._plans.were_written,
            m.Project: self._project,
            m.ProjectFailed: self._project_failed,
            m.Set: self._set_settings,
            m.RunNow: self._run_now,
            m.CancelNow: self._cancel_now,
            m.SourcesChanged: self._sources_changed,
            m.Memory: self._memory,
            m.Stop: self._stop,
        }

    # What others may ask

    @property
    def settings(self) -> m.Settings:
        """The live ones."""
        return self.moment.settings

    @property
    def offset(self) -> int:
        """The engine's clock minus the monotonic one, in microseconds."""
        return self.moment.offset

    @property
    def ring(self) -> Ring | None:
        """Who owns what; None until the database was reached."""
        return self.share.ring

    @property
    def is_member(self) -> bool:
        """Whether the other nodes count on it; until then it reads, and starts nothing."""
        return self.share.is_member

    def owner(self, unit: str) -> str | None:
        """The node that owns a unit, by the ring and its pool; None where no ring is known."""
        return self.share.owner(unit, self._graph.model(unit))

    def is_held(self, unit: str) -> bool:
        """Whether a window without planned starts holds a unit now."""
        return bool(self.agenda.holds.until(unit, self.moment.engine))

    def counts(self) -> dict[str, int]:
        """How many units are in each state."""
        found = {
            "queued": len(self.agenda.queues),
            "waiting": self.agenda.waiting,
            "running": self.running.units(),
        }
        return {"idle": len(self.items) - sum(found.values()), **found}

    # The loop

    def step(self, now: int, events: Iterable[m.Event] = ()) -> list[m.Action]:
        """Takes what happened, in this order, and says what is to be done now.

        Args:
            now: monotonic time in microseconds; never less than before.
            events: since the last step.

        Returns:
            Actions, to be done in any order, each without waiting for another.
        """
        self.moment.begin(now)
        for event in events:
            self._handlers[type(event)](event)
        self.running.check_deadlines()
        self.running.ask_again()
        if self._is_working():
            self.agenda.fire_timers()
            self.agenda.take_due()
            self._start()
            self.fetches.fetch()
            self._breaker.probe()
            self._listeners.poll()
        self._plans.write()
        self._end()
        return self.moment.actions

    def wake(self) -> int:
        """Monotonic time by which `step` is to be called again if nothing happens before."""
        times = [self.running.next_at()]
        if self._stop_at is not None and not self._is_stopped:
            times.append(self._stop_at)
        if self._is_working():
            if (due := self.agenda.dues.key()) is not None:
                times.append(due - self.moment.offset)
            if (timer := self.agenda.timers.key()) is not None:
                times.append(timer)
            if self.fetches.pending is None:
                times.append(self.fetches.next_at())
            if self._breaker.probe_at is not None:
                times.append(self._breaker.probe_at)
            if self._listeners.pauses:
                times.append(self._listeners.poll_at)
        return min(times)

    def _is_working(self) -> bool:
        """It knows the ring, a project was parsed once, and it is not stopping."""
        return self.ring is not None and self._has_project and self._stop_at is None

    def _may_start_any(self) -> bool:
        """Whether anything may start: the others know, a good project, no breaker, memory."""
        is_good = self._is_parsed and self._breaker.probe_at is None and not self._is_memory_high
        return self.is_member and is_good

    def _start(self) -> None:
        """Starts what has a slot."""
        agenda, slots = self.agenda, self.slots
        while len(agenda.queues) and self._may_start_any():
            lane = agenda.queues.first(slots.has_room)
            if lane is None:
                return
            items = agenda.pick(lane, slots.limit)
            if items:
                self.running.begin(lane, items)

    # State, engine, members

    def _fetched(self, event: m.Fetched) -> None:
        """Applies rows."""
        if self.fetches.has_answered(event):
            self.moment.look_at(event.clock)
            self._reading.take(event)
            self.share.is_moving &= not event.is_whole
            self.running.state_is_there()

    def _probed(self, event: m.Probed) -> None:
        """Where it is good, all starts again, and what was not settled is asked again."""
        if self._breaker.has_probed(event.is_good):
            self.running.state_is_there()

    def _beats(self, event: m.Beats) -> None:
        """Where units have changed hands, all rows are read again."""
        if self.share.heard(event):
            self.fetches.make_dirty(is_whole=True)

    def _orphans(self, event: m.Orphans) -> None:
        """Recovers the runs of a node that is gone."""
        for orphan in self.share.found(event):
            self.running.recover(orphan, event.node)

    # Project and settings

    def _project(self, event: m.Project) -> None:
        """Takes the project's models; all rows are read again."""
        self.agenda.stop_all_waiting()
        self._graph.take(event.models)
        self._has_project = self._is_parsed = True
        self.fetches.make_dirty(is_whole=True)

    def _project_failed(self, event: m.ProjectFailed) -> None:
        """Holds all units."""
        self._is_parsed = False

    def _set_settings(self, event: m.Set) -> None:
        """Takes new settings."""
        was, self.moment.settings = self.settings, event.settings
        self.agenda.holds = Holds(self.settings.holds)
        self.running.set_deadlines()
        if was.virtual_nodes != self.settings.virtual_nodes:
            self.share.resize()
        self.fetches.take_settings()

    def _memory(self, event: m.Memory) -> None:
        """Above its threshold nothing starts."""
        self._is_memory_high = event.is_high

    # Requests

    def _run_now(self, event: m.RunNow) -> None:
        """Queues a unit out of turn."""
        item = self.known.item(event.id)
        if item is None:
            self._refuse(event.id, "this node owns no such view")
        elif item.flags & PAUSED:
            since = utc(self.known.paused[item.id])
            self._refuse(event.id, f"it is paused since {since}: resume it first")
        elif item.state == RUNNING:
            self._refuse(event.id, "it is running")
        elif self._stop_at is not None:
            self._refuse(event.id, "this node is stopping")
        else:
            self.agenda.take_out(item)
            item.its_turn().is_manual = True
            self.agenda.enqueue(item)

    def _cancel_now(self, event: m.CancelNow) -> None:
        """Cancels the run of a unit; the unit is tried again as after a failure."""
        model = self._graph.models.get(event.id)
        if model is None or not self.running.cancel_unit(
            model.unit, event.id, "cancelled by request"
        ):
            self._refuse(event.id, "it does not run on this node")

    def _refuse(self, name: str, reason: str) -> None:
        """Answers a request that cannot be done."""
        self.moment.do(m.Refused(name, reason))

    def _sources_changed(self, event: m.SourcesChanged) -> None:
        """Views that listen are due, at their time."""
        for name in event.ids:
            item = self.known.item(name)
            if item is None or item.flags & CHANGED:
                continue
            item.flags |= CHANGED
            if item.state == IDLE and item.entry is None:
                self.agenda.put(item)

    # Stopping

    def _stop(self, event: m.Stop) -> None:
        """Leaves; the second time, cancels now."""
        if self._stop_at is None:
            self._stop_at = self.moment.now + self.settings.drain
            self.moment.do(m.Leave())
            for item in list(self.items.values()):
                if item.state in (QUEUED, WAITING):
                    self.agenda.take_out(item)
        else:
            self._stop_at = self.moment.now

    def _end(self) -> None:
        """Cancels what still runs when the time is over; says when all is done."""
        if self._stop_at is None or self._is_stopped:
            return
        if self.moment.now >= self._stop_at:
            self._stop_at = NEVER
            self.running.cancel_all("the node stops")
        if self.running.are_over():
            self._is_stopped = True
            self.moment.do(m.Stopped())
