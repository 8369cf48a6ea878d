"""Clock, state, engine, database, nodes and workers of a cluster, all pretended.

The cores are the real ones; everything around them takes its turns from one heap of events, whose
order a seed decides. What must hold is checked where it could break (`Broken` is raised there).
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any
from zlib import crc32

from dbt_mview.serve import messages as m
from dbt_mview.serve.core import Core
from dbt_mview.serve.ring import HEARTBEAT, STALE
from dbt_mview.serve.times import MINUTE, SECOND, backoff
from dbt_mview.serve.unit import IDLE, OFF, QUEUED, RUNNING, STATES, WAITING

HOUR = 60 * MINUTE
MILLI = 1000
EPOCH = 1_764_201_600 * SECOND  # of the engine's clock when the world begins
LEASE = HOUR
TIMEOUT = 10 * MINUTE
# How late a unit may start whose time its node knows, and when a node knows what has changed.
TICK = 2 * SECOND
FETCH = 33 * SECOND
# After a loss: stale after 30 s, noticed with the next heartbeat, then fetched and recovered.
RECOVERY = 80 * SECOND
# A death that comes between two contacts with the database, and a grace, may add up.
WATCH = 3 * MINUTE


class Broken(AssertionError):
    """An invariant does not hold."""


@dataclass(frozen=True)
class Scene:
    """What is played.

    Args:
        seed: decides everything.
        units: views and logs.
        nodes: of the cluster.
        hours: of simulated time.
        workers: slots of each node.
        only: names of what goes wrong (tests/sim/scripts.py); empty for everything.
        is_calm: nothing goes wrong.
    """

    seed: int
    units: int = 200
    nodes: int = 5
    hours: float = 24
    workers: int = 4
    only: tuple[str, ...] = ()
    is_calm: bool = False


class Record:
    """A view or log in state, and its script."""

    __slots__ = (
        "began_at",
        "changed_at",
        "due_was",
        "duration",
        "ended",
        "every",
        "failing",
        "failures",
        "id",
        "is_bad_plan",
        "is_gone",
        "is_paused",
        "job",
        "kills",
        "lease_until",
        "locked_at",
        "model",
        "next_time",
        "over_at",
        "paused_at",
        "published",
        "retry_time",
        "row",
        "scripted",
        "slow_until",
        "starts",
        "token",
        "told",
        "took",
        "version",
        "waits_for_sources",
    )

    def __init__(self, model: m.Model, every: int, first: int, duration: int) -> None:
        self.id = model.id
        self.model = model
        self.every = every
        self.next_time = first
        self.retry_time: int | None = None
        self.failures = 0
        self.ended: int | None = None
        self.job: str | None = None  # the run that holds the lock
        self.published: int | None = None  # it has: the plan that it was for, -1 for none
        self.token = 0
        self.lease_until: int | None = None
        self.locked_at = 0
        self.is_paused = False
        self.paused_at = 0
        self.is_gone = False
        self.took: float | None = None
        self.version = 0
        self.row: m.Row | None = None
        self.changed_at = 0
        self.told: tuple[str, int] | None = None  # which node knows which version by its own run
        self.began_at = 0
        self.over_at = 0  # the end of its last run, batch and all
        # Scripts: what it does to those who refresh it.
        self.duration = duration
        self.failing = 0  # so many refreshes fail
        self.kills = 0  # so many processes die
        self.is_bad_plan = False  # its NEXT is always in the past
        self.scripted = 0  # failures that may be charged
        self.slow_until = 0
        self.due_was = -1  # the plan that was published last
        self.starts: deque[tuple[int, str]] = deque(maxlen=16)

    def due(self) -> int | None:
        """When it is due, exactly."""
        if self.is_paused or self.failures >= 16:
            return None
        return self.next_time if self.retry_time is None else self.retry_time


class Job:
    """One dbt command: its process, and what it refreshes."""

    __slots__ = (
        "current",
        "index",
        "is_alive",
        "is_charged",
        "is_manual",
        "name",
        "node",
        "published",
        "todo",
    )

    def __init__(self, name: str, node: Node, todo: list[Record], is_manual: bool) -> None:
        self.name = name
        self.node = node
        self.todo = todo
        self.index = 0
        # Record, token, planned time, and how long it takes.
        self.current: tuple[Record, int, int, int] | None = None
        # Record and token of what was published: it is recorded when the command ends.
        self.published: list[tuple[Record, int]] = []
        self.is_alive = True
        self.is_charged = False  # it has timed out: what it holds then has failed
        self.is_manual = is_manual


class Node:
    """A service: its core, its connections, its processes."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.phase = number * 700 * MILLI  # of its heartbeats
        self.boots = 0
        self.core: Core | None = None
        self.is_stopped = False  # SIGSTOP
        self.is_behind = False  # it was stopped, and has not reached the database since
        self.is_cut = False  # from the database
        self.is_blind = False  # its fetches fail
        self.lag = 0  # of its fetches
        self.waiting: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self.version = 0
        self.wake_at = -1
        self.wake_number = 0
        self.fetched_at = -HOUR
        self.jobs: dict[str, Job] = {}
        self.rows_of_runs: dict[str, tuple[str, ...]] = {}  # not yet in the database
        self.full_until: dict[str, int] = {"view": 0, "log": 0}
        self.is_heard = False
        self.is_starting = False  # its project is not loaded, or state was never read
        self.last_step = -1
        self.same_time = 0

    def __repr__(self) -> str:
        return self.name


class World:
    """Everything; `play` runs it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.random = random.Random(scene.seed)
        self.now = 0
        self.end = int(scene.hours * HOUR)
        self._events: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._number = 0
        # The trace: what is shown of a failure, and a sum of all of it.
        self.trace: deque[tuple[Any, ...]] = deque(maxlen=400)
        self.sum = 0
        self.steps = self.refreshes = self.runs = self.failed = 0
        self.latest = 0
        self.moved_keys = 0
        # State and engine.
        self.skew = 0
        self.skewed_at = -HOUR
        self.is_engine_up = True
        self.version = 0
        self.changes: list[Record] = []  # since version `cut`
        self.cut = 0
        self.settings = m.Settings(workers=scene.workers, timeout=TIMEOUT)
        self.records: dict[str, Record] = {}
        self.models: dict[str, m.Model] = {}
        self.units: dict[str, list[Record]] = {}
        self.is_parsed = True
        self._make_units()
        # The database.
        self.is_database_up = True
        self.beats: dict[str, int] = {}
        self.starting: set[str] = set()
        self.leaving: set[str] = set()
        self.runs_of: dict[str, dict[str, m.Orphan]] = {}
        self.unknown: set[str] = set()  # runs of the dead that the database never heard of
        self.watched_until = 0
        self.large = 0  # how many large things have happened
        # Until when lateness, or a run too many, has an excuse.
        self.calm_at = RECOVERY
        self.nodes = [Node(f"node{number}", number) for number in range(scene.nodes)]
        self.samples = list(self.records)[:: max(1, len(self.records) // 200)]
        for node in self.nodes:
            loads = self.random.randrange(2 * SECOND, 20 * SECOND)
            self.at(self.random.randrange(SECOND), self.boot, node, loads)
        self.at(5 * MINUTE, self.audit)

    # Units

    def _make_units(self) -> None:
        """Views, logs, chains, groups and pools."""
        draw = self.random
        many = self.scene.units > 10_000
        ids: list[str] = []
        for number in range(self.scene.units):
            kind: m.Kind = "log" if number % 10 == 9 else "view"
            name = f"spark_catalog.mart.{kind}_{number:07}"
            parents: tuple[str, ...] = ()
            if kind == "view" and ids and draw.random() < 0.15 and not many:
                parents = (draw.choice(ids[-20:]),)
            group = f"group{number // 40}" if number % 40 in (3, 4, 5) and not many else None
            if group is not None:
                parents = ()
            model = m.Model(
                name,
                kind,
                group,
                parents,
                priority=draw.choice((1, 3, 3, 3, 5)),
                pool=draw.choice(("narrow", "wide"))
                if kind == "view" and draw.random() < 0.05 and not group and not many
                else None,
            )
            every = HOUR if many else draw.choice((10, 20, 60, 60, 120, 180, 360)) * MINUTE
            # Half of all are due at the full hour, as people write schedules.
            first = draw.randrange(every // MILLI) * MILLI if many or draw.random() < 0.5 else every
            duration = int(draw.choice((0.2, 0.5, 1.0, 3.0, 12.0)) * SECOND)
            if many:
                duration = 100 * MILLI
            elif draw.random() < 0.03:
                duration = int(draw.uniform(60, 200)) * SECOND
            record = Record(model, every, EPOCH + first + draw.randrange(1000), duration)
            if many:
                record.took = duration / SECOND
            if group is not None:
                record.every, record.next_time = HOUR, EPOCH + HOUR
            if kind == "view":
                ids.append(name)
            self.models[name] = model
            self.records[name] = record
            self.units.setdefault(model.unit, []).append(record)
            self.change(record)
        pools = {"narrow": 2, "wide": 2 * self.scene.nodes}
        self.settings = m.Settings(workers=self.scene.workers, timeout=TIMEOUT, pools=pools)
        if not many:
            alone = [name for name in ids if self.models[name].group is None]
            self.records[draw.choice(alone)].is_bad_plan = True

    # Time

    def at(self, time: int, do: Callable[..., None], *args: Any) -> None:
        """Puts an event on the heap."""
        self._number += 1
        heappush(self._events, (time, self._number, do, args))

    def after(self, wait: int, do: Callable[..., None], *args: Any) -> None:
        """The same, from now."""
        self.at(self.now + wait, do, *args)

    def engine_now(self) -> int:
        """The engine's clock."""
        return EPOCH + self.now + self.skew

    def note(self, *what: Any) -> None:
        """Writes the trace."""
        line = (self.now, *what)
        self.trace.append(line)
        self.sum = crc32(repr(line).encode(), self.sum)

    def broken(self, what: str) -> None:
        """An invariant does not hold."""
        raise Broken(f"at {clock(self.now)}: {what}")

    def play(self) -> None:
        """Plays to the end."""
        events = self._events
        while events:
            time, _, do, args = heappop(events)
            if time > self.end:
                break
            self.now = time
            do(*args)
        self.now = self.end
        self.judge()

    def disturb(self, lasts: int, recovery: int = RECOVERY) -> None:
        """From now on, and for a while after it, lateness has an excuse."""
        self.calm_at = max(self.calm_at, self.now + lasts + recovery)

    # Nodes

    def boot(self, node: Node, loads: int = 5 * SECOND) -> None:
        """A node starts, and is so long in loading its project: its share is the others' yet."""
        if node.core is not None:
            return
        node.boots += 1
        node.is_starting = True
        self.leaving.discard(node.name)
        node.core = Core(node.name, str(node.boots), self.settings, self.scene.seed)
        node.is_heard = False
        node.version = 0
        node.fetched_at = -HOUR
        self.note("boot", node.name)
        self.watch()
        self.after(loads, self.load, node, node.boots)

    def load(self, node: Node, boot: int) -> None:
        """A node that starts has loaded the project, unless that does not parse now."""
        if node.boots != boot or node.core is None:
            return
        if self.is_parsed:
            self.step(node, m.Project(self.models))
        else:
            self.after(5 * SECOND, self.load, node, boot)

    def fetched(self, node: Node, boot: int, event: m.Fetched) -> None:
        """State was read. From the first time on a node can take work, and says so."""
        if node.boots != boot or self.is_waiting(node, self.fetched, node, boot, event):
            return
        self.step(node, event)
        if node.is_starting and node.core is not None:
            node.is_starting = False
            self.note("takes work", node.name)
            self.disturb(0)
            self.watch()
            self.beat_once(node)

    def die(self, node: Node) -> None:
        """kill -9: its processes end themselves, their locks stay."""
        self.note("die", node.name)
        node.core = None
        node.is_stopped = node.is_cut = node.is_blind = node.is_behind = False
        node.waiting = []
        for job in node.jobs.values():
            job.is_alive = False
            for record in job.todo:
                record.over_at = self.now
        node.jobs = {}
        self.unknown.update(node.rows_of_runs)
        node.rows_of_runs = {}
        node.wake_number += 1
        self.disturb(0)
        self.watch()

    def freeze(self, node: Node) -> None:
        """SIGSTOP, for it and its processes."""
        self.note("freeze", node.name)
        node.is_stopped = True
        self.watch()

    def thaw(self, node: Node) -> None:
        """SIGCONT."""
        if not node.is_stopped:
            return
        self.note("thaw", node.name)
        node.is_stopped = False
        node.is_behind = True
        self.step(node, m.Stalled())
        waiting, node.waiting = node.waiting, []
        for do, args in waiting:
            do(*args)
        self.watch()

    def is_waiting(self, node: Node, do: Callable[..., None], *args: Any) -> bool:
        """Whether a node does nothing now; then it does this when it goes on."""
        if node.is_stopped:
            node.waiting.append((do, args))
        return node.is_stopped

    def step(self, node: Node, *events: m.Event) -> None:
        """One step of a node's core."""
        core = node.core
        if core is None or self.is_waiting(node, self.step, node, *events):
            return
        self.steps += 1
        if node.last_step == self.now:
            node.same_time += 1
            if node.same_time > 1000:
                self.broken(f"{node} steps again and again at one time")
        else:
            node.last_step, node.same_time = self.now, 0
        ring = core.ring
        actions = core.step(self.now, events)
        if core.ring is not ring and ring is not None and core.ring is not None:
            self.check_moves(ring, core.ring)
        for action in actions:
            ACTIONS[type(action)](self, node, action)
        wake = core.wake()
        if wake != node.wake_at and node.core is core:
            node.wake_at = wake
            node.wake_number += 1
            if wake < self.end:
                self.at(max(wake, self.now), self.wake, node, node.wake_number)

    def wake(self, node: Node, number: int) -> None:
        """Time for the core's next step, if nothing has changed that time."""
        if number == node.wake_number:
            node.wake_at = -1
            self.step(node)

    # The database

    def watch(self) -> None:
        """Heartbeats are played one by one only while something may come of them.

        In between they would tell every core what it knows (test_core.py: beats that change
        nothing), so the database is only given their times.
        """
        if self.now >= self.watched_until:
            for node in self.nodes:
                if node.core is not None and node.is_heard:
                    last = self.now - (self.now - node.phase) % HEARTBEAT
                    self.beats[node.name] = last
                    node.core.share.membership._contact = last
                self.at(self.now + HEARTBEAT - (self.now - node.phase) % HEARTBEAT, self.beat, node)
        self.watched_until = max(self.watched_until, self.now + WATCH)

    def beat(self, node: Node) -> None:
        """A heartbeat, and the one after it."""
        if self.now < self.watched_until:
            self.after(HEARTBEAT, self.beat, node)
        self.beat_once(node)

    def beat_once(self, node: Node) -> None:
        """A heartbeat, if the node lives and reaches the database."""
        if node.core is None or node.is_stopped or node.is_cut or not self.is_database_up:
            return
        node.is_heard = True
        node.is_behind = False
        self.beats[node.name] = self.now
        (self.starting.add if node.is_starting else self.starting.discard)(node.name)
        for run, ids in node.rows_of_runs.items():
            self.runs_of.setdefault(node.name, {})[run] = m.Orphan(run, ids)
        node.rows_of_runs = {}
        # The database's clock has nothing to do with any other.
        beats = {name: at + 7 * HOUR for name, at in self.beats.items()}
        self.step(node, m.Beats(self.now + 7 * HOUR, beats, frozenset(self.starting)))

    def find_runs(self, node: Node, action: m.FindRuns) -> None:
        """The rows of `run` of a node, but for those of a process that lives."""
        if node.is_cut or not self.is_database_up:
            return
        runs = tuple(self.runs_of.get(action.node, {}).values())
        if self.now - self.beats.get(action.node, -HOUR) <= STALE:
            boots = next(one.boots for one in self.nodes if one.name == action.node)
            runs = tuple(one for one in runs if one.run.split("/")[1] != str(boots))
        self.note("orphans", node.name, action.node, len(runs))
        self.after(20 * MILLI, self.step, node, m.Orphans(action.node, runs))

    def leave(self, node: Node, action: m.Leave) -> None:
        """Its heartbeat is deleted."""
        self.note("leave", node.name)
        self.leaving.add(node.name)
        if self.is_database_up and not node.is_cut:
            self.beats.pop(node.name, None)
        node.is_heard = False
        self.disturb(0)
        self.watch()

    def stopped(self, node: Node, action: m.Stopped) -> None:
        """The process ends."""
        if node.jobs:
            self.broken(f"{node} has stopped while {list(node.jobs)} run")
        self.note("stopped", node.name)
        node.core = None

    # State

    def change(self, record: Record) -> None:
        """A commit that writes its row."""
        self.version += 1
        record.version = self.version
        record.row = None
        record.changed_at = self.now
        self.changes.append(record)

    def row(self, record: Record) -> m.Row:
        """Its row as a reader of Delta's log gets it: times are maximum statistics."""
        row = record.row
        if row is None:
            row = record.row = m.Row(
                record.id,
                record.version,
                -(-record.next_time // MILLI) * MILLI,
                None if record.retry_time is None else -(-record.retry_time // MILLI) * MILLI,
                record.failures,
                record.ended,
                record.lease_until,
                record.paused_at if record.is_paused else None,
                record.took,
            )
        return row

    def fetch(self, node: Node, action: m.Fetch) -> None:
        """State is read at once, and told when the answer is there."""
        if self.now - node.fetched_at < SECOND:
            self.broken(f"{node} fetches twice within {self.now - node.fetched_at} us")
        node.fetched_at = self.now
        lag = node.lag or self.random.randrange(20, 200) * MILLI
        if node.is_blind:
            self.note("fetch fails", node.name)
            self.after(lag, self.step, node, m.FetchFailed(action.number))
            return
        if action.is_whole:
            rows = [self.row(one) for one in self.records.values() if not one.is_gone]
            gone: tuple[str, ...] = ()
        else:
            changed = dict.fromkeys(self.changes[node.version - self.cut :])
            rows = [self.row(one) for one in changed if not one.is_gone]
            gone = tuple(one.id for one in changed if one.is_gone)
        node.version = self.version
        clock_ = m.Clock(self.engine_now(), self.now) if self.is_engine_up else None
        event = m.Fetched(action.number, rows, action.is_whole, gone, clock_)
        self.after(lag, self.fetched, node, node.boots, event)

    # Runs

    def start(self, node: Node, action: m.Start) -> None:
        """A dbt command."""
        todo = [self.records[name] for name in action.ids]
        self.note("start", node.name, action.run, len(todo), todo[0].id)
        self.runs += 1
        if node.is_behind and not action.is_manual:
            self.broken(f"{node} starts {todo[0].id} before it has heard of the others")
        job = node.jobs[action.run] = Job(action.run, node, todo, action.is_manual)
        core = node.core
        assert core is not None
        if len(node.jobs) > core.settings.workers:
            self.broken(f"{node} has {len(node.jobs)} processes for {core.settings.workers} slots")
        self.check_start(node, core, todo, action)
        self.note_full(node, core)
        node.rows_of_runs[action.run] = action.ids
        if self.is_database_up and not node.is_cut:
            self.runs_of.setdefault(node.name, {})[action.run] = m.Orphan(action.run, action.ids)
            del node.rows_of_runs[action.run]
        todo.sort(key=self.depth)
        self.after(300 * MILLI, self.go_on, job)

    def note_full(self, node: Node, core: Core) -> None:
        """Remembers that a node has no free slot now."""
        for kind in ("view", "log"):
            if core.slots.left(kind) <= 0:
                node.full_until[kind] = self.now

    def depth(self, record: Record) -> int:
        """dbt runs parents first."""
        parents = record.model.parents
        return 1 + max((self.depth(self.records[one]) for one in parents), default=0)

    def go_on(self, job: Job) -> None:
        """The next unit of a command, or its end."""
        if not job.is_alive or self.is_waiting(job.node, self.go_on, job):
            return
        if not self.is_engine_up:
            self.finish(job, "error")
            return
        now = self.engine_now()
        while job.index < len(job.todo):
            record = job.todo[job.index]
            job.index += 1
            if record.is_gone or record.is_paused:
                continue
            if record.published is not None:
                self.note("roll forward", job.name, record.id)
                self.roll_forward(record)
                if not job.is_manual and not self.is_due(record.model.unit):
                    continue
            elif record.job is not None and (record.lease_until or 0) > now:
                self.note("busy", job.name, record.id)
                continue
            record.job = job.name
            record.token += 1
            record.lease_until = now + LEASE
            record.locked_at = self.now
            self.change(record)
            planned = record.next_time if record.next_time <= now and not job.is_manual else -1
            job.current = record, record.token, planned, record.duration
            record.began_at = self.now
            self.after(record.duration, self.publish, job)
            return
        self.finish(job, "done")

    def publish(self, job: Job) -> None:
        """The refresh of the current unit ends: with a success, a failure, or a dead process."""
        if not job.is_alive or self.is_waiting(job.node, self.publish, job):
            return
        if not self.is_engine_up:
            self.finish(job, "error")
            return
        assert job.current is not None
        record, token, planned, _ = job.current
        job.current = None
        if record.kills:
            record.kills -= 1
            self.note("killed", job.name, record.id)
            self.disturb(MINUTE, TICK)  # the breaker
            self.finish(job, "died")
            return
        if record.token != token or record.is_gone:
            self.note("lock lost", job.name, record.id)
            self.go_on(job)
            return
        self.refreshes += 1
        record.took = (self.now - record.began_at) / SECOND
        if record.failing:
            record.failing -= 1
            record.scripted += 1
            record.job = record.lease_until = None
            self.charge(record)
            self.change(record)
        else:
            if planned >= 0 and planned == record.due_was and not record.is_bad_plan:
                self.broken(f"{record.id} was published twice for {planned}")
            record.due_was = max(planned, record.due_was)
            record.published = planned
            job.published.append((record, token))
        self.go_on(job)

    def is_due(self, unit: str) -> bool:
        """Whether state says so of any of its views."""
        now = self.engine_now()
        return any((due := one.due()) is not None and due <= now for one in self.units[unit])

    def roll_forward(self, record: Record) -> None:
        """Somebody else records what was published."""
        record.token += 1
        self.record(record)

    def record(self, record: Record) -> None:
        """What was published is recorded: by its run at its end, or by who recovers it."""
        assert record.published is not None
        self.succeed(record, record.published, self.engine_now())
        record.job = record.lease_until = record.published = None
        self.change(record)

    def succeed(self, record: Record, planned: int, now: int) -> None:
        """A success: the plan moves if the run was the planned one."""
        record.ended = now
        record.failures = 0
        record.retry_time = None
        if planned >= 0:
            missed = max((now - planned) // record.every, 0)
            record.next_time = planned + (missed + 1) * record.every
            if record.is_bad_plan:
                record.next_time = now - HOUR

    def charge(self, record: Record) -> None:
        """A failure in state."""
        record.failures += 1
        self.failed += 1
        if record.failures > record.scripted:
            self.broken(f"{record.id} is charged with a failure that is not its own")
        # As macros do: no retry once it is broken.
        wait = backoff(record.failures)
        record.retry_time = None if record.failures >= 16 else self.engine_now() + wait

    def finish(self, job: Job, how: m.How) -> None:
        """The command is over; its process is free or gone."""
        if job.is_alive:
            self.note("finish", job.name, how)
            job.is_alive = False
            if job.is_charged and job.current is not None:
                job.current[0].scripted += 1
            if how == "done":
                for record, token in job.published:
                    is_known = record.published is not None and not record.is_gone
                    if record.token == token and is_known:
                        self.record(record)
            del job.node.jobs[job.name]
            for record in job.todo:
                record.over_at = self.now
            if job.node.core is not None:
                self.note_full(job.node, job.node.core)
            self.step(job.node, m.Returned(job.name, how))

    def go_on_or_fail(self, job: Job) -> None:
        """What runs while the engine goes fails as a whole."""
        if job.is_alive and not self.is_engine_up:
            if not self.is_waiting(job.node, self.go_on_or_fail, job):
                self.finish(job, "error")

    def cancel(self, node: Node, action: m.Cancel) -> None:
        """SIGINT; some processes need SIGKILL."""
        self.note("cancel", action.run, action.reason)
        job = node.jobs[action.run]
        job.is_charged = action.reason == "timeout"
        if job.current is not None:
            record, _, _, lasts = job.current
            if action.reason == "timeout" and lasts < TIMEOUT // 4:
                self.broken(f"{record.id} timed out though it is quick")
        wait = self.random.choice((SECOND, 5 * SECOND, 30 * SECOND))
        self.after(wait, self.interrupted, job)

    def interrupted(self, job: Job) -> None:
        """A cancelled process is gone."""
        if job.is_alive and not self.is_waiting(job.node, self.interrupted, job):
            self.finish(job, "died")

    def settle(self, node: Node, action: m.Settle) -> None:
        """State is asked, and told."""
        self.after(self.random.randrange(50, 300) * MILLI, self.settle_now, node, action)

    def settle_now(self, node: Node, action: m.Settle) -> None:
        """It takes a moment."""
        if node.core is None or self.is_waiting(node, self.settle_now, node, action):
            return
        if not self.is_engine_up:
            self.note("unsettled", node.name, action.run)
            self.step(node, m.Settled(action.run, None))
            return
        found = [self.records[name] for name in action.ids]
        if action.is_recovery:
            for record in found:
                is_held = record.job == action.run
                if is_held and record.published is not None:
                    is_held = False
                    self.roll_forward(record)
                elif is_held:
                    record.job = record.lease_until = None
                    record.token += 1
                is_named = action.charge == "all" and record.id in (action.charged or action.ids)
                if is_named or (action.charge == "holders" and is_held):
                    self.charge(record)
                if is_held or is_named:
                    self.change(record)
        elif action.charge != "nobody":
            self.broken(f"{action.run} is charged without a recovery")
        for runs in self.runs_of.values():
            runs.pop(action.run, None)
        node.rows_of_runs.pop(action.run, None)
        self.note("settled", node.name, action.run, action.is_recovery)
        rows = tuple(self.row(one) for one in found if not one.is_gone)
        for record in found:
            record.told = (f"{node}/{node.boots}", record.version)
        self.step(node, m.Settled(action.run, rows, m.Clock(self.engine_now(), self.now)))

    def probe(self, node: Node, action: m.Probe) -> None:
        """dbt debug."""
        self.note("probe", node.name, self.is_engine_up)
        self.after(SECOND, self.step_probed, node)

    def step_probed(self, node: Node) -> None:
        """Its answer."""
        self.step(node, m.Probed(self.is_engine_up))

    def refused(self, node: Node, action: m.Refused) -> None:
        """A request that was refused."""
        self.note("refused", node.name, action.id, action.reason)

    # What must hold

    def is_calm(self) -> bool:
        """Whether nothing has happened lately that excuses anything."""
        return self.now >= self.calm_at

    def since(self, node: Node, record: Record) -> int | None:
        """Monotonic time since which a unit could have been started; None if it is not due."""
        due = record.due()
        if due is None:
            return None
        at = due - EPOCH - self.skew
        if record.retry_time is not None:
            most = max(one.failures for one in self.units[record.model.unit])
            at += backoff(most) // 10
        return max(at, self.calm_at, node.full_until[record.model.kind], record.over_at + SECOND)

    def ready(self, node: Node, core: Core, unit: list[Record]) -> int | None:
        """The same of all of a unit, whose parents are to be waited for as well."""
        times = [at for one in unit if (at := self.since(node, one)) is not None]
        if not times or any(one.due() is None for one in unit):
            return None
        retries = [self.since(node, one) or 0 for one in unit if one.retry_time is not None]
        at = max(min(times), *retries, 0)
        for record in unit:
            at = max(at, record.changed_at + FETCH if record.changed_at > at - FETCH else at)
            for name in record.model.parents:
                parent = self.records[name]
                for one in self.units[parent.model.unit]:
                    at = max(at, one.changed_at + FETCH, one.over_at + FETCH)
                if self.is_pending(parent):
                    at = max(at, min(self.now, at + 15 * MINUTE))
            if record.model.pool is not None:
                at = max(at, self.now - TICK) if self.now < at + HOUR else at
        return at

    def is_pending(self, parent: Record) -> bool:
        """Whether a view, or its group, is to be waited for, as state says at this moment."""
        now = self.engine_now()
        found = [one for one in self.units[parent.model.unit] if not one.is_gone]
        if any(one.lease_until is not None and one.lease_until > now for one in found):
            return True
        if any(one.is_paused or one.failures >= 16 for one in found):
            return False
        return any(one.next_time <= now for one in found)

    def check_start(self, node: Node, core: Core, todo: list[Record], action: m.Start) -> None:
        """Nothing starts early, late, paused, locked, split, before its parent, again and again."""
        names = set(action.ids)
        units = {record.model.unit for record in todo}
        now = self.engine_now()
        for record in todo:
            group = record.model.group
            if group is not None:
                if not names.issuperset(one.id for one in self.units[record.model.unit]):
                    self.broken(f"{group} is split: {sorted(names)}")
            if any(record in job.todo for job in node.jobs.values() if job.name != action.run):
                self.broken(f"{record.id} runs twice on {node}")
            if not action.is_manual and self.now > self.skewed_at + FETCH:
                self.check_told(node, record)
            record.starts.append((self.now, node.name))
            # Two nodes may both have it while one of them is cut off from the others.
            own = [at for at, name in record.starts if name == node.name][-8:]
            if len(own) == 8 and self.now - own[0] < 20 * SECOND:
                self.broken(f"{record.id} starts again and again")
            if not self.is_calm() or action.is_manual:
                continue
            self.check_one(node, record, units, now)
        if self.is_calm() and not action.is_manual:
            for unit in units:
                members = self.units[unit]
                ready = self.ready(node, core, members)
                if ready is not None and not any(one.is_bad_plan for one in members):
                    late = self.now - ready
                    self.latest = max(self.latest, late)
                    if late > TICK:
                        self.broken(f"{unit} starts {late / SECOND:.1f} s late")
            self.check_turns(core, action)

    def check_told(self, node: Node, record: Record) -> None:
        """What a node was told at the end of its own run, no older reading makes undone."""
        unit = self.units[record.model.unit]
        if all(one.told == (f"{node}/{node.boots}", one.version) for one in unit):
            if not self.is_due(record.model.unit):
                self.broken(f"{record.id} starts though {node} was told that it is not due")

    def check_one(self, node: Node, record: Record, units: set[str], now: int) -> None:
        """The same of one view that starts in calm times."""
        known = record.changed_at + FETCH < self.now
        if record.is_paused and record.paused_at + FETCH < self.now:
            self.broken(f"{record.id} starts though it is paused")
        if known and record.job is not None and (record.lease_until or 0) > now:
            self.broken(f"{record.id} starts though {record.job} holds its lock")
        group = self.units[record.model.unit]
        group_is_known = all(one.changed_at + FETCH < self.now for one in group)
        if group_is_known and not self.is_due(record.model.unit):
            self.broken(f"{record.id} starts before it is due")
        due = record.due()
        for name in record.model.parents:
            parent = self.records[name]
            if self.models[name].unit in units or due is None:
                continue
            its_unit = self.units[parent.model.unit]
            known = all(one.changed_at + FETCH < self.now for one in its_unit)
            is_new = all(not one.failures and (one.ended or 0) >= due for one in its_unit)
            if known and not is_new and self.is_pending(parent) and now - due < 15 * MINUTE - TICK:
                self.broken(f"{record.id} starts before its parent {name}")

    def check_turns(self, core: Core, action: m.Start) -> None:
        """Nothing waits ten minutes behind what was queued later."""
        item = core.items[self.models[action.ids[0]].unit]
        priority = max(one.model.priority for one in self.units[item.id])
        if item.due is None:
            return
        queued = item.due - core.offset  # or later
        for lane, heap in core.agenda.queues._lanes.items():
            key = heap.key()
            if key is None or lane.kind != action.kind or lane.is_manual or lane.pool:
                continue
            head = heap._entries[0][2]
            its_priority = max(one.model.priority for one in self.units[head.id])
            if its_priority < priority:
                continue
            behind = queued - (key + its_priority * 5 * MINUTE)
            if behind > 10 * MINUTE:
                self.broken(f"{item.id} starts, {head.id} was queued {clock(behind)} before")

    def check_moves(self, was: Any, now: Any) -> None:
        """Only what a lost node had moves, and only to a new one something moves."""
        changed = set(was.nodes) ^ set(now.nodes)
        for name in self.samples:
            before, after = was.owner(name), now.owner(name)
            if before != after:
                self.moved_keys += 1
                if before not in changed and after not in changed:
                    self.broken(f"{name} moves from {before} to {after}, and {changed} changed")

    def audit(self) -> None:
        """Everything is somewhere, and nothing is forgotten."""
        self.after(5 * MINUTE if self.scene.units <= 10_000 else HOUR, self.audit)
        for node in self.nodes:
            if node.core is not None and not node.is_stopped:
                self.check_core(node.core)
                self.note_full(node, node.core)
        oldest = min((one.version for one in self.nodes if one.core and one.version), default=0)
        del self.changes[: max(oldest - self.cut, 0)]
        self.cut = max(self.cut, oldest)
        if self.is_calm():
            self.check_owners()
            self.check_locks()

    def check_core(self, core: Core) -> None:
        """What the core counts is what there is, and each idle unit will be noticed."""
        counted = dict.fromkeys(STATES, 0)
        for item in core.items.values():
            counted[STATES[item.state]] += 1
            # Else it leaves when all rows are read again, or with the node.
            is_kept = core.share.is_ours(item.id) and core.node not in self.leaving
            if item.state == IDLE and item.entry is None and not item.flags & OFF and is_kept:
                self.broken(f"{core.node} has forgotten {item.id}")
            if item.state in (QUEUED, WAITING) and item.entry is None:
                self.broken(f"{core.node} has lost {item.id}, {STATES[item.state]}")
        if counted != core.counts():
            self.broken(f"{core.node} counts {core.counts()}, there are {counted}")

    def check_owners(self) -> None:
        """Each unit is one node's, and starts in time."""
        owners: dict[str, Node] = {}
        for node in self.nodes:
            core = node.core
            if core is None or not core.is_member:
                continue
            for unit, item in core.items.items():
                if unit in owners and item.state != RUNNING:
                    other = owners[unit].core
                    if other is not None and other.items[unit].state != RUNNING:
                        self.broken(f"{unit} is owned by {node} and by {owners[unit]}")
                owners[unit] = node
        for unit, some in self.units.items():
            records = [one for one in some if not one.is_gone]
            if not records:
                continue
            known = all(one.changed_at + FETCH < self.now for one in records)
            if unit not in owners:
                if known:
                    self.broken(f"{unit} is nobody's")
                continue
            core = owners[unit].core
            assert core is not None
            is_running = core.items[unit].state == RUNNING or any(one.job for one in records)
            ready = self.ready(owners[unit], core, records)
            is_odd = any(one.is_bad_plan for one in records)
            if ready is not None and not is_running and not is_odd and self.is_parsed:
                if self.now - ready > MINUTE:
                    late = (self.now - ready) / SECOND
                    state = STATES[core.items[unit].state]
                    self.broken(f"{unit} is {late:.0f} s late on {owners[unit]}, {state}")

    def check_locks(self) -> None:
        """A lock is held by a process that lives, or is recovered soon."""
        for record in self.records.values():
            if record.job is None or max(record.locked_at, record.over_at) + WATCH > self.now:
                continue
            if record.job in self.unknown and (record.lease_until or 0) > self.engine_now():
                continue  # nobody else knows of it: the lease ends it
            if not any(record.job in node.jobs for node in self.nodes):
                self.broken(f"{record.id} is locked by {record.job}, which is gone")

    def judge(self) -> None:
        """At the end all is fresh, and no failure was charged but the script's."""
        now = self.engine_now()
        for record in self.records.values():
            unit = self.units[record.model.unit]
            if any(one.is_gone or one.is_bad_plan or one.due() is None for one in unit):
                continue
            if any(
                one.failing or one.job or one.changed_at + 15 * MINUTE > self.now for one in unit
            ):
                continue
            # Each of its ancestors may have kept it waiting.
            late = now - record.next_time - self.depth(record) * 15 * MINUTE - record.duration
            if late > FETCH and record.slow_until < self.now:
                self.broken(f"{record.id} is due since {(now - record.next_time) / MINUTE:.0f} min")


def clock(time: int) -> str:
    """Simulated time for people."""
    seconds, rest = divmod(time, SECOND)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest // MILLI:03}"


ACTIONS: dict[type, Callable[[World, Node, Any], None]] = {
    m.Fetch: World.fetch,
    m.FindRuns: World.find_runs,
    m.Start: World.start,
    m.Cancel: World.cancel,
    m.Settle: World.settle,
    m.Probe: World.probe,
    m.Refused: World.refused,
    m.Leave: World.leave,
    m.Stopped: World.stopped,
}
