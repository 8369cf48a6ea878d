"""The scheduler: what is due, who waits for whom, what starts, and what becomes of it.

`Core.step(now, events)` is told what happened and returns what is to be done; `Core.wake()` is when
it wants to be called again if nothing happens. It has no I/O, no thread and no clock, so that a day
of a cluster can be played within a second (tests/sim). The rules are those of TiDB's `pkg/mvs`, as
docs/scheduler.md maps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.batches import ALONE, Lane, Queues, batch_limit, duration_class, slots_for
from dbt_mview.serve.heap import Heap
from dbt_mview.serve.ring import Membership, Ring
from dbt_mview.serve.times import MINUTE, RETRY_MOST, SECOND, Holds, backoff, jitter, next_cron

# What a unit is doing.
IDLE, QUEUED, WAITING, RUNNING = range(4)
STATES = ("idle", "queued", "waiting", "running")
# Its flags. LISTENS: due only once a source has changed. CHANGED: one has. While it runs, GONE: it
# leaves at its end; DONE: state says that it has succeeded, others of its batch still run.
PAUSED, BROKEN, LISTENS, CHANGED, GONE, DONE = 1, 2, 4, 8, 16, 32
OFF = PAUSED | BROKEN

FETCH_AGAIN = SECOND
PROBE_FIRST, PROBE_MOST = 5 * SECOND, MINUTE
AGING = 5 * MINUTE
KILLS = 3
NEVER = 1 << 62


class Turn:
    """What is remembered of a unit between its due time and its next success. Most have none."""

    __slots__ = ("has_waited", "is_alone", "is_manual", "is_resting", "kills", "lane", "misses")

    def __init__(self) -> None:
        """Nothing so far."""
        self.lane: Lane | None = None
        self.has_waited = False  # for its parents, as long as upstream_wait
        self.is_alone = False  # it timed out, or a process died under it
        self.is_manual = False
        self.is_resting = False  # due, but not again at once
        self.misses = 0  # ends after which it was due as before
        self.kills = 0  # processes that died under it


class Item:
    """One unit that this node owns. A million of them must fit: see docs/scheduler.md."""

    __slots__ = (
        "due",
        "ended",
        "entry",
        "failures",
        "flags",
        "id",
        "next_time",
        "state",
        "took",
        "turn",
        "version",
    )

    def __init__(self, name: str) -> None:
        """Nothing is known of it but its id."""
        self.id = name
        self.entry: tuple[int, str, Any] | None = None
        self.state = IDLE
        self.flags = 0
        self.due: int | None = None
        self.next_time: int | None = None
        self.ended: int | None = None
        self.failures = 0
        self.version = -1
        self.took: float | None = None
        self.turn: Turn | None = None

    def __lt__(self, other: Item) -> bool:
        """One that came back may meet what it left in a heap: same key, same id, and no matter."""
        return False

    def its_turn(self) -> Turn:
        """What is remembered of it, from now on if nothing was."""
        if self.turn is None:
            self.turn = Turn()
        return self.turn


class Run:
    """A run of this node, until it is settled."""

    __slots__ = (
        "began",
        "charge",
        "deadline",
        "engine_began",
        "how",
        "is_manual",
        "items",
        "lane",
        "name",
        "reason",
    )

    def __init__(self, name: str, lane: Lane, items: list[Item], now: int, engine: int) -> None:
        """It starts now."""
        self.name = name
        self.lane = lane
        self.items = items
        self.is_manual = lane.is_manual
        self.began = now
        self.engine_began = engine
        self.deadline = NEVER
        self.how: m.How | None = None  # None: its process is not gone yet, and its slot not free
        self.reason = ""  # why it was cancelled
        self.charge: m.Charge = "nobody"


@dataclass(slots=True)
class Open:
    """A `Settle` that is not answered yet, or has to be asked again."""

    settle: m.Settle
    tries: int = 0
    at: int = NEVER  # when to ask again; NEVER: it is asked


class Core:
    """One node's scheduler. Call `step`, do what it returns, call it again by `wake`.

    Attributes:
        node: its name.
        items: what it owns, by id of the unit; to be read only.
        problems: by id, why a cron expression could not be worked out.
        is_member: whether the other nodes count on it; until then it reads, and starts nothing.
        ring: who owns what; None until the database was reached.
        settings: the live ones.
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
        self.settings = settings
        self.items: dict[str, Item] = {}
        self.problems: dict[str, str] = {}
        self.is_member = False
        self.ring: Ring | None = None
        self._boot = boot
        self._seed = seed
        self._now = 0
        self._offset = 0  # the engine's clock minus the monotonic one
        self._engine = 0
        self._out: list[m.Action] = []
        # What the project says.
        self._models: Mapping[str, m.Model] = {}
        self._groups: dict[str, tuple[m.Model, tuple[str, ...]]] = {}
        self._children: dict[str, list[str]] = {}
        self._has_project = False
        self._is_parsed = False
        # Rows that are kept whole: members of groups, and parents that other nodes own.
        self._rows: dict[str, m.Row] = {}
        # Where items are: idle ones in `_dues` (by the engine's clock) or resting in `_timers`
        # (monotonic), waiting ones in `_timers` and by parent in `_waiters`.
        self._dues: Heap[Item] = Heap()
        self._timers: Heap[Item] = Heap()
        self._queues: Queues[Item] = Queues()
        self._waiters: dict[str, dict[str, Item]] = {}
        self._waiting = 0
        self._ticket = 0
        self._lanes: dict[Lane, Lane] = {}  # one object of each, not one for each unit
        # Runs, and the slots that they take.
        self._runs: dict[str, Run] = {}
        self._started = 0
        self._slots: dict[m.Kind, int] = {"view": 0, "log": 0}
        self._pooled: dict[str, int] = {}
        self._open: dict[str, Open] = {}
        self._holds = Holds(settings.holds)
        # Fetches.
        self._fetching: m.Fetch | None = None
        self._is_forced = False
        self._number = 0
        self._asked = -NEVER
        self._fetch_at = 0
        self._is_dirty = True
        self._dirty_at = 0
        self._is_whole = True
        self._failed_fetches = 0
        # The breaker: closed where `_probe_at` is None.
        self._probe_at: int | None = None
        self._errors = 0
        self._is_memory_high = False
        # Members, and nodes whose runs are to be looked for.
        self._membership = Membership(node)
        self._lost: dict[str, None] = {}
        # Plans that are being written; views that listen to their sources.
        self._planning: set[str] = set()
        self._plan: dict[str, int] = {}
        self._plan_after: dict[str, int | None] = {}
        self._listeners: dict[str, int] = {}
        self._poll_at = 0
        # Stopping: when runs are cancelled.
        self._stop_at: int | None = None
        self._is_stopped = False
        self._handlers: dict[type, Callable[[Any], None]] = {
            m.Fetched: self._fetched,
            m.FetchFailed: self._fetch_failed,
            m.Dirty: lambda _: self._make_dirty(),
            m.Beats: self._beats,
            m.Orphans: self._orphans,
            m.Returned: self._returned,
            m.Settled: self._settled,
            m.Probed: self._probed,
            m.Planned: lambda event: self._planning.difference_update(event.ids),
            m.Project: self._project,
            m.ProjectFailed: self._project_failed,
            m.Set: self._set_settings,
            m.RunNow: self._run_now,
            m.CancelNow: self._cancel_now,
            m.SourcesChanged: self._sources_changed,
            m.Memory: self._memory,
            m.Stop: self._stop,
        }

    @property
    def offset(self) -> int:
        """The engine's clock minus the monotonic one, in microseconds."""
        return self._offset

    def owner(self, unit: str) -> str | None:
        """The node that owns a unit, by the ring and its pool; None where no ring is known."""
        return None if self.ring is None else self._owner(self.ring, unit, self._unit(unit))

    def is_held(self, unit: str) -> bool:
        """Whether a window without planned starts holds a unit now."""
        return bool(self._holds.until(unit, self._engine))

    # The loop

    def step(self, now: int, events: Iterable[m.Event] = ()) -> list[m.Action]:
        """Takes what happened, in this order, and says what is to be done now.

        Args:
            now: monotonic time in microseconds; never less than before.
            events: since the last step.

        Returns:
            Actions, to be done in any order, each without waiting for another.
        """
        self._now = now
        self._engine = now + self._offset
        self._out = []
        for event in events:
            self._handlers[type(event)](event)
        self._check_deadlines()
        self._ask_again()
        if self._is_working():
            self._fire_timers()
            self._take_due()
            self._start()
            self._fetch()
            self._probe()
            self._poll()
        self._write_plan()
        self._end()
        return self._out

    def wake(self) -> int:
        """Monotonic time by which `step` is to be called again if nothing happens before."""
        times = [NEVER]
        if self._runs:
            times += [run.deadline for run in self._runs.values() if self._has_deadline(run)]
        if self._open:
            times += [one.at for one in self._open.values()]
        if self._stop_at is not None and not self._is_stopped:
            times.append(self._stop_at)
        if self._is_working():
            if (due := self._dues.key()) is not None:
                times.append(due - self._offset)
            if (timer := self._timers.key()) is not None:
                times.append(timer)
            if self._fetching is None:
                times.append(self._next_fetch())
            if self._probe_at is not None:
                times.append(self._probe_at)
            if self._listeners:
                times.append(self._poll_at)
        return min(times)

    def _is_working(self) -> bool:
        """It knows the ring, a project was parsed once, and it is not stopping."""
        return self.ring is not None and self._has_project and self._stop_at is None

    def counts(self) -> dict[str, int]:
        """How many units are in each state."""
        running = sum(len(run.items) for run in self._runs.values())
        found = {"queued": len(self._queues), "waiting": self._waiting, "running": running}
        return {"idle": len(self.items) - sum(found.values()), **found}

    # Fetches

    def _make_dirty(self, is_whole: bool = False) -> None:
        """State is to be read at once."""
        self._is_dirty = True
        self._is_whole = self._is_whole or is_whole

    def _next_fetch(self) -> int:
        """When state is read next: at its interval, or when it is dirty; once a second at most."""
        at = self._fetch_at
        if self._is_dirty:
            at = min(at, self._dirty_at)
        return max(at, self._asked + FETCH_AGAIN)

    def _fetch(self) -> None:
        """Asks for state when it is time. What makes it dirty from now on is for the next one."""
        if self._fetching is not None or self._now < self._next_fetch():
            return
        self._number += 1
        self._fetching = m.Fetch(self._number, self._is_whole)
        self._is_forced, self._is_dirty, self._is_whole = self._is_dirty, False, False
        self._asked = self._now
        self._out.append(self._fetching)

    def _fetch_failed(self, event: m.FetchFailed) -> None:
        """The interval begins anew, so that nothing loops; what was forced comes again sooner."""
        if self._fetching is None or event.number != self._fetching.number:
            return
        self._is_whole = self._is_whole or self._fetching.is_whole
        self._fetching = None
        self._fetch_at = self._now + self.settings.fetch_interval
        if self._is_forced:
            self._failed_fetches += 1
            most = self.settings.fetch_interval
            self._dirty_at = self._now + backoff(self._failed_fetches, SECOND, most)
            self._is_dirty = True

    def _fetched(self, event: m.Fetched) -> None:
        """Applies rows. What this node does not own is dropped, but for parents of what it owns."""
        if self._fetching is None or event.number != self._fetching.number:
            return
        self._fetching = None
        self._fetch_at = self._now + self.settings.fetch_interval
        self._failed_fetches = 0
        self._dirty_at = 0
        self._look_at_clock(event.clock)
        seen = {unit for row in event.rows if (unit := self._read(row)) is not None}
        if event.is_whole:
            if len(seen) != len(self.items):
                for unit in [one for one in self.items if one not in seen]:
                    self._lose(unit)
            if self._rows:
                names = {row.id for row in event.rows if row.id in self._rows}
                self._rows = {name: row for name, row in self._rows.items() if name in names}
        for name in event.gone:
            self._vanish(name)
        self._is_reached()

    def _look_at_clock(self, clock: m.Clock | None) -> None:
        """Takes the engine's clock."""
        if clock is not None:
            self._offset = clock.engine - clock.at
            self._engine = self._now + self._offset

    # Rows

    def _unit(self, unit: str) -> m.Model | None:
        """What the project says of a unit; of a group: of all its members together."""
        group = self._groups.get(unit)
        return group[0] if group else self._models.get(unit)

    def _ids(self, unit: str) -> tuple[str, ...]:
        """The views and logs of a unit."""
        group = self._groups.get(unit)
        return group[1] if group else (unit,)

    def _all_ids(self, units: Iterable[str]) -> tuple[str, ...]:
        """The views and logs of several units."""
        return tuple(name for unit in units for name in self._ids(unit))

    def _item(self, name: str) -> Item | None:
        """The unit of a view or log, if this node owns it."""
        model = self._models.get(name)
        return self.items.get(model.unit) if model else None

    def _is_mine(self, unit: str, model: m.Model) -> bool:
        """Whether this node owns a unit."""
        return self.ring is not None and self._owner(self.ring, unit, model) == self.node

    def _owner(self, ring: Ring, unit: str, model: m.Model | None) -> str | None:
        """The node that owns a unit. A pool of fewer slots than nodes is one node's."""
        if model is not None and model.pool is not None:
            slots = self.settings.pools.get(model.pool)
            if slots is not None and slots < len(ring.nodes):
                return ring.owner(model.pool)
        return ring.owner(unit)

    def _read(self, row: m.Row) -> str | None:
        """Applies a row. Returns the unit if this node owns it."""
        model = self._models.get(row.id)
        if model is None:
            return None
        unit = row.id
        if model.group is not None:
            unit = model.unit
            model = self._groups[unit][0]
        if not self._is_mine(unit, model):
            self._read_foreign(row, unit)
            return None
        if unit != row.id:
            known = self._rows.get(row.id)
            if known is not None and row.version < known.version:
                return unit
            self._rows[row.id] = row
            row = self._merged(unit)
        item = self.items.get(unit)
        if item is None:
            item = self.items[unit] = Item(unit)
            self._rows.pop(unit, None)
        elif self._is_old(item, row):
            return unit
        self._update(item, row)
        if self._waiters:
            self._notice(unit)
        return unit

    def _is_old(self, item: Item, row: m.Row) -> bool:
        """Whether a row was read before what is known already: before a run ended, say."""
        return row.version < item.version

    def _read_foreign(self, row: m.Row, unit: str) -> None:
        """Keeps the row of another node's unit where one of this node waits for it."""
        if unit in self.items:
            self._lose(unit)
        known = self._rows.get(row.id)
        if known is not None and row.version < known.version:
            return
        if any(self._has_child_here(one) for one in self._ids(unit)):
            self._rows[row.id] = row
            self._notice(unit)
        else:
            self._rows.pop(row.id, None)

    def _has_child_here(self, parent: str) -> bool:
        """Whether this node owns a unit that reads a view."""
        for child in self._children.get(parent, ()):
            unit = self._models[child].unit
            model = self._unit(unit)
            if model is not None and self._is_mine(unit, model):
                return True
        return False

    def _merged(self, unit: str) -> m.Row:
        """The rows of a group as one: due with its first member, moved when all have."""
        rows = [self._rows[one] for one in self._ids(unit) if one in self._rows]
        ended = [row.ended for row in rows]
        return m.Row(
            unit,
            version=max(row.version for row in rows),
            next_time=smallest(row.next_time for row in rows),
            retry_time=largest(row.retry_time for row in rows),
            failures=max(row.failures for row in rows),
            ended=None if None in ended else smallest(ended),
            lease_until=largest(row.lease_until for row in rows),
            is_paused=any(row.is_paused for row in rows),
            took=None if any(row.took is None for row in rows) else sum(r.took or 0 for r in rows),
            cron=next((row.cron for row in rows if row.cron and row.next_time is None), None),
            at_most_every=smallest(row.at_most_every for row in rows)
            if all(row.at_most_every is not None for row in rows)
            else None,
        )

    def _update(self, item: Item, row: m.Row) -> None:
        """Gives an item what its row says. Of a running one nothing but its end changes that."""
        if item.state == RUNNING:
            item.flags &= ~GONE
            is_newer = row.version > item.version
            is_free = is_newer and row.lease_until is None and not row.failures
            if is_free and row.next_time is not None and row.next_time > self._engine:
                item.flags |= DONE
                item.due = row.next_time
            return
        was = item.due, item.flags
        self._set(item, row)
        if item.state != IDLE:
            if self._is_due(item):
                return
        elif item.entry is not None and (item.due, item.flags) == was:
            return
        self._take_out(item)
        self._put(item)

    def _is_due(self, item: Item) -> bool:
        """Whether it is due, or was asked for, by what its row says now."""
        if item.flags & PAUSED:
            return False
        if item.turn is not None and item.turn.is_manual:
            return True
        return not item.flags & OFF and item.due is not None and item.due <= self._engine

    def _set(self, item: Item, row: m.Row) -> None:
        """Copies a row."""
        flags = item.flags & (CHANGED | GONE)
        if row.is_paused:
            flags |= PAUSED
        if row.failures >= self.settings.broken_after:
            flags |= BROKEN
        if row.at_most_every is not None and not row.failures:
            flags |= LISTENS
        item.flags = flags
        item.version = row.version
        item.failures = row.failures
        item.ended = row.ended
        item.next_time = row.next_time
        if row.took is not None:
            item.took = row.took
        due = row.next_time
        if row.retry_time is not None:
            due = row.retry_time + jitter(self._seed, row.id, row.failures)
        # Somebody refreshes it: whoever that is, it is due again when the lease is over at last.
        if row.lease_until is not None and row.lease_until > self._engine and due is not None:
            due = max(due, row.lease_until)
        item.due = due
        if flags & LISTENS:
            self._listeners.setdefault(item.id, row.at_most_every or 0)
        elif self._listeners:
            self._listeners.pop(item.id, None)
        if row.cron is not None and due is None and not flags & OFF:
            self._plan_cron(item, row)

    def _plan_cron(self, item: Item, row: m.Row) -> None:
        """Works a cron expression out; state is told of all of them at the end of the step."""
        for name in self._ids(item.id):
            one = self._rows.get(name, row)
            if one.cron is None or one.next_time is not None or name in self._planning:
                continue
            after = self._engine if one.cron.after is None else one.cron.after
            try:
                self._plan[name] = next_cron(one.cron.cron, one.cron.zone, after)
                self._plan_after[name] = one.cron.after
                self.problems.pop(name, None)
            except ValueError as error:
                self.problems[name] = str(error)

    def _write_plan(self) -> None:
        """Has all next times written at once that were worked out in this step."""
        if self._plan:
            self._out.append(m.Plan(self._plan, self._plan_after))
            self._planning.update(self._plan)
            self._plan, self._plan_after = {}, {}

    def _vanish(self, name: str) -> None:
        """A row is gone: its unit leaves, or a group goes on without it."""
        self._rows.pop(name, None)
        model = self._models.get(name)
        unit = name if model is None else model.unit
        if any(one in self._rows for one in self._ids(unit)):
            return
        self._lose(unit)
        self._notice_row(name)

    def _lose(self, unit: str) -> None:
        """A unit is another node's from now on, or gone. A running one leaves at its end."""
        item = self.items.get(unit)
        if item is None:
            return
        if item.state == RUNNING:
            item.flags |= GONE
            return
        self._take_out(item)
        self._forget(item)

    def _forget(self, item: Item) -> None:
        """Removes an item that is nowhere any more."""
        del self.items[item.id]
        self._listeners.pop(item.id, None)
        for name in self._ids(item.id):
            self.problems.pop(name, None)
        self._notice(item.id)

    # Where an item is

    def _put(self, item: Item, rest: int = 0) -> None:
        """Puts an idle item where its time will be noticed: that of its due, or of its rest."""
        if item.flags & OFF or item.due is None:
            return
        if item.flags & LISTENS and not item.flags & CHANGED:
            return
        if rest:
            item.its_turn().is_resting = True
            self._timers.push(item, self._now + rest)
        else:
            self._dues.push(item, item.due)

    def _take_out(self, item: Item) -> None:
        """Takes an item out of wherever it is; it is idle, and nothing will notice its time."""
        turn = item.turn
        if item.state == QUEUED and turn is not None and turn.lane is not None:
            self._queues.remove(item, turn.lane)
        elif item.state == WAITING:
            self._timers.remove(item)
            self._stop_waiting(item)
        elif turn is not None and turn.is_resting:
            self._timers.remove(item)
            turn.is_resting = False
        elif item.entry is not None:
            self._dues.remove(item)
        item.state = IDLE

    def _fire_timers(self) -> None:
        """Ends rests, and waits for parents."""
        while (at := self._timers.key()) is not None and at <= self._now:
            item = self._timers.pop()
            turn = item.its_turn()
            if item.state == WAITING:
                self._stop_waiting(item)
                turn.has_waited = True
                self._enqueue(item)
            else:
                turn.is_resting = False
                self._put(item)

    def _take_due(self) -> None:
        """Takes all that is due, the oldest first, equal ones by id."""
        while (due := self._dues.key()) is not None and due <= self._engine:
            item = self._dues.pop()
            if self._may_start(item):
                self._enqueue(item)

    def _may_start(self, item: Item) -> bool:
        """Whether a due item may start; if not, it is put where it will be noticed again."""
        if item.due is not None and item.due > self._engine:
            self._put(item)  # the engine's clock went back while it was queued
            return False
        until = self._holds.until(item.id, self._engine)
        if until:
            self._dues.push(item, until)
            return False
        if self._has_pending_parent(item, ()):
            self._wait(item)
            return False
        return True

    def _enqueue(self, item: Item) -> None:
        """Queues an item: first come first served, and 5 minutes earlier for each priority."""
        turn = item.its_turn()
        model = self._unit(item.id)
        priority = model.priority if model else 3
        # Within a step all come at once; tickets keep them in the order of their due times.
        self._ticket = max(self._ticket + 1, self._now)
        first = NEVER if turn.is_manual else 0
        turn.lane = self._lane(item)
        item.state = QUEUED
        self._queues.push(item, turn.lane, self._ticket - priority * AGING - first)

    def _lane(self, item: Item) -> Lane:
        """Which units it may be in one batch with."""
        model = self._unit(item.id)
        turn = item.turn
        is_manual = turn is not None and turn.is_manual
        is_alone = is_manual or (turn is not None and turn.is_alone)
        pool = model.pool if model and model.pool in self.settings.pools else None
        duration = ALONE if is_alone else duration_class(item.took)
        lane = Lane(model.kind if model else "view", duration, pool, is_manual)
        return self._lanes.setdefault(lane, lane)

    # Parents before children

    def _has_pending_parent(self, item: Item, besides: Iterable[str]) -> bool:
        """Whether it has to wait for a view that it reads.

        Args:
            item: the child.
            besides: units that are in one batch with it: dbt runs parents first.
        """
        model = self._unit(item.id)
        if model is None or not model.parents or (item.turn is not None and item.turn.has_waited):
            return False
        return any(self._is_pending(parent, besides, item.due) for parent in model.parents)

    def _is_pending(self, parent: str, besides: Iterable[str], due: int | None) -> bool:
        """Whether a view is due or running; by its plan, also between its retries.

        One that has succeeded since its child was due is not, though it may be due again: where
        its runs are longer than its interval it always is, and the child would never come.
        """
        model = self._models.get(parent)
        if model is None or model.unit in besides:
            return False
        item = self.items.get(model.unit)
        if item is not None:
            if not item.failures and has_come(item.ended, due):
                return False
            if item.state != IDLE:
                is_done = item.flags & DONE and item.due is not None and item.due > self._engine
                return not is_done
            if item.flags & OFF or (item.flags & LISTENS and not item.flags & CHANGED):
                return False
            return item.next_time is not None and item.next_time <= self._engine
        row = self._rows.get(parent)
        if row is not None and model.group is not None:
            row = self._merged(model.unit)
        if row is None or (not row.failures and has_come(row.ended, due)):
            return False
        if row.lease_until is not None and row.lease_until > self._engine:
            return True
        if row.is_paused or row.failures >= self.settings.broken_after:
            return False
        if row.at_most_every is not None and not row.failures:
            return False
        return row.next_time is not None and row.next_time <= self._engine

    def _wait(self, item: Item) -> None:
        """Lets an item wait for its parents, for upstream_wait at most."""
        item.state = WAITING
        self._waiting += 1
        self._timers.push(item, self._now + self.settings.upstream_wait)
        model = self._unit(item.id)
        for parent in model.parents if model else ():
            self._waiters.setdefault(parent, {})[item.id] = item

    def _stop_waiting(self, item: Item) -> None:
        """It waits no more."""
        self._waiting -= 1
        model = self._unit(item.id)
        for parent in model.parents if model else ():
            children = self._waiters.get(parent, {})
            children.pop(item.id, None)
            if not children:
                self._waiters.pop(parent, None)

    def _notice(self, unit: str) -> None:
        """Something has become of a unit: its children may go on."""
        for name in self._ids(unit):
            self._notice_row(name)

    def _notice_row(self, name: str) -> None:
        """The same of one view."""
        for child in list(self._waiters.get(name, {}).values()):
            if not self._has_pending_parent(child, ()):
                self._take_out(child)
                self._enqueue(child)

    # Starts

    def _may_start_any(self) -> bool:
        """Whether anything may start: the others know, a good project, no breaker, memory."""
        is_good = self._is_parsed and self._probe_at is None and not self._is_memory_high
        return self.is_member and is_good

    def _start(self) -> None:
        """Starts what has a slot."""
        while len(self._queues) and self._may_start_any():
            lane = self._queues.first(self._has_slot)
            if lane is None:
                return
            items = self._pick(lane)
            if items:
                self._begin(lane, items)

    def _free(self, kind: m.Kind) -> int:
        """Free slots for a kind."""
        workers = self.settings.workers
        all_free = workers - sum(self._slots.values())
        return min(all_free, slots_for(kind, workers) - self._slots[kind])

    def _pool_room(self, pool: str) -> int:
        """How many more units of a pool may run here: its slots are shared out among nodes."""
        nodes = len(self.ring.nodes) if self.ring else 1
        slots = self.settings.pools.get(pool, 1)
        # Fewer slots than nodes are all on one node, see `_is_mine`.
        return (slots // nodes or slots) - self._pooled.get(pool, 0)

    def _has_slot(self, lane: Lane) -> bool:
        """Whether a unit of a lane may start."""
        return self._free(lane.kind) > 0 and (lane.pool is None or self._pool_room(lane.pool) > 0)

    def _pick(self, lane: Lane) -> list[Item]:
        """Takes a batch from a lane; with children that wait for nothing else."""
        settings = self.settings
        limit = batch_limit(
            settings.batch_size,
            lane.duration,
            self._queues.waiting(lane),
            self._free(lane.kind),
            settings.timeout / SECOND,
        )
        if lane.pool is not None:
            limit = min(limit, self._pool_room(lane.pool))
        items: list[Item] = []
        while len(items) < limit and self._queues.waiting(lane):
            item = self._queues.pop(lane)
            item.state = IDLE
            if lane.is_manual or self._may_start(item):
                items.append(item)
        if self._waiters:
            self._add_children(lane, items, limit)
        return items

    def _add_children(self, lane: Lane, items: list[Item], limit: int) -> None:
        """Adds waiting children of a batch's units to it, and theirs."""
        units = {item.id for item in items}
        for item in items:  # which grows meanwhile
            for name in self._ids(item.id):
                for child in list(self._waiters.get(name, {}).values()):
                    if len(items) >= limit:
                        return
                    if self._lane(child) == lane and not self._has_pending_parent(child, units):
                        self._take_out(child)
                        items.append(child)
                        units.add(child.id)

    def _begin(self, lane: Lane, items: list[Item]) -> None:
        """Starts a run."""
        self._started += 1
        name = f"{self.node}/{self._boot}/{self._started}"
        run = Run(name, lane, items, self._now, self._engine)
        for item in items:
            item.state = RUNNING
            item.flags &= ~(CHANGED | DONE)
        self._runs[name] = run
        self._set_deadline(run)
        self._count_slot(run, 1)
        ids = self._all_ids(item.id for item in items)
        self._out.append(m.Start(name, lane.kind, ids, lane.is_manual))

    def _count_slot(self, run: Run, count: int) -> None:
        """Takes the slot of a run, or frees it."""
        self._slots[run.lane.kind] += count
        pool = run.lane.pool
        if pool is not None:
            self._pooled[pool] = self._pooled.get(pool, 0) + count * len(run.items)

    def _set_deadline(self, run: Run) -> None:
        """When a run is cancelled: the longest timeout of its units."""
        limits = []
        for item in run.items:
            model = self._unit(item.id)
            own = model.timeout if model else None
            limits.append(self.settings.timeout if own is None else own)
        run.deadline = run.began + max(limits)

    def _has_deadline(self, run: Run) -> bool:
        """Whether a run is to be cancelled when its time is over."""
        return run.how is None and not run.reason

    def _check_deadlines(self) -> None:
        """Cancels what runs too long. Its slot is free when its process is gone."""
        for run in self._runs.values():
            if self._now >= run.deadline and self._has_deadline(run):
                self._cancel(run, "timeout", "holders")

    def _cancel(self, run: Run, reason: str, charge: m.Charge) -> None:
        """Has a run cancelled, once."""
        if self._has_deadline(run):
            run.reason, run.charge = reason, charge
            self._out.append(m.Cancel(run.name, reason))

    # Ends

    def _returned(self, event: m.Returned) -> None:
        """A process is free or gone: so is the slot. Then state is asked what became of it all."""
        run = self._runs.get(event.run)
        if run is None or run.how is not None:
            return
        run.how = event.how
        self._count_slot(run, -1)
        if event.how == "done":
            self._errors = 0
        elif not run.reason:
            self._break()
            if event.how == "died":
                self._suspect(run)
        ids = self._all_ids(item.id for item in run.items)
        is_recovery = event.how != "done" or bool(run.reason)
        reason = run.reason or {"error": "the run failed", "died": "its process died"}.get(run.how)
        self._settle(m.Settle(run.name, ids, is_recovery, run.charge, reason or ""))

    def _suspect(self, run: Run) -> None:
        """A process died: each of its units runs alone, and is charged when it was thrice."""
        for item in run.items:
            turn = item.its_turn()
            turn.is_alone = True
            turn.kills += 1
            if len(run.items) == 1 and turn.kills >= KILLS:
                turn.kills = 0
                run.charge = "all"

    def _settle(self, settle: m.Settle) -> None:
        """Asks what became of a run, until state was reached."""
        self._open[settle.run] = Open(settle)
        self._out.append(settle)

    def _is_reached(self) -> None:
        """State can be reached: what could not be settled is asked again."""
        for one in self._open.values():
            if one.at != NEVER:
                one.at = self._now

    def _ask_again(self) -> None:
        """Asks again what state did not answer."""
        for one in self._open.values():
            if self._now >= one.at:
                one.at = NEVER
                self._out.append(one.settle)

    def _settled(self, event: m.Settled) -> None:
        """Judges each unit of a run by its row; of another node's run, takes the rows."""
        one = self._open.get(event.run)
        if one is None:
            return
        if event.rows is None:
            one.tries += 1
            one.at = self._now + backoff(one.tries)
            return
        del self._open[event.run]
        self._look_at_clock(event.clock)
        run = self._runs.pop(event.run, None)
        if run is None:
            for row in event.rows:
                self._read(row)
            return
        rows = {row.id: row for row in event.rows}
        for item in run.items:
            self._judge(run, item, self._row_of(item, rows))

    def _row_of(self, item: Item, rows: Mapping[str, m.Row]) -> m.Row | None:
        """The row of a unit among those that were read; None if it is gone."""
        if item.id not in self._groups:
            return rows.get(item.id)
        found = [name for name in self._ids(item.id) if name in rows]
        for name in found:
            known = self._rows.get(name)
            if known is None or rows[name].version >= known.version:
                self._rows[name] = rows[name]
        return self._merged(item.id) if found else None

    def _judge(self, run: Run, item: Item, row: m.Row | None) -> None:
        """What became of one unit: success, failure, or neither (busy, cut off, not reached)."""
        item.state = IDLE
        if row is None or item.flags & GONE:
            self._forget(item)
            return
        moved = row.next_time != item.next_time or row.ended != item.ended
        has_failed = row.failures > item.failures
        has_succeeded = not row.failures and (moved or item.failures > 0)
        turn = item.its_turn()
        turn.is_manual = turn.has_waited = False
        self._set(item, row)
        rest = 0
        if has_failed:
            turn.misses = 0
            turn.is_alone = turn.is_alone or bool(run.reason)
        elif has_succeeded:
            turn.kills, turn.is_alone = 0, False
            if run.is_manual or item.flags & LISTENS or self._has_moved(run, item):
                turn.misses = 0
            else:
                rest = self._rest(turn)
        elif run.how == "done" and not run.reason:
            rest = self._rest(turn)
        if not (turn.misses or turn.kills or turn.is_alone):
            item.turn = None
        self._put(item, rest)
        self._notice(item.id)

    def _has_moved(self, run: Run, item: Item) -> bool:
        """Whether a success has moved the plan beyond the begin of its run."""
        return item.due is None or item.due > run.engine_began

    def _rest(self, turn: Turn) -> int:
        """How long a unit rests that is due as before: 1 s, doubling."""
        turn.misses += 1
        return backoff(turn.misses, SECOND, RETRY_MOST)

    # The breaker

    def _break(self) -> None:
        """A run failed as a whole: nothing starts until a probe is good."""
        if self._probe_at is None:
            self._errors += 1
            self._probe_at = self._now + backoff(self._errors, PROBE_FIRST, PROBE_MOST)

    def _probe(self) -> None:
        """Sends a probe when it is time."""
        if self._probe_at is not None and self._now >= self._probe_at:
            self._probe_at = NEVER
            self._out.append(m.Probe())

    def _probed(self, event: m.Probed) -> None:
        """Good: starts again. The count of errors ends with a run that is none."""
        if self._probe_at is not None:
            self._probe_at = None
            if event.is_good:
                self._is_reached()
            else:
                self._break()

    # Members

    def _beats(self, event: m.Beats) -> None:
        """Rebuilds the ring if the living have changed, and looks for the runs of the dead."""
        living, others = self._membership.heard(self._now, event.clock, event.last, event.starting)
        if self.ring is None or self.ring.nodes != living:
            if self.ring is None:
                self._lost[self.node] = None  # what it left itself, before it started
            self.ring = Ring(living, self.settings.virtual_nodes)
            self._make_dirty(is_whole=True)
            self._lost.update(dict.fromkeys(others))
        self.is_member = self.node not in event.starting
        for node in list(self._lost):
            if node != self.node and node in living:
                del self._lost[node]
            elif node == self.node or self.is_member:
                self._out.append(m.FindRuns(node))

    def _orphans(self, event: m.Orphans) -> None:
        """Recovers the runs of a node that is gone, each by one of the living."""
        self._lost.pop(event.node, None)
        for orphan in event.runs:
            is_known = orphan.run in self._runs or orphan.run in self._open
            if is_known or self.ring is None:
                continue
            if event.node == self.node or self.ring.owner(orphan.run) == self.node:
                reason = orphan.reason or f"node {event.node} is gone"
                self._settle(m.Settle(orphan.run, orphan.units, True, orphan.charge, reason))

    # Project, settings, requests

    def _project(self, event: m.Project) -> None:
        """Takes the project's models; all rows are read again."""
        members: dict[str, list[m.Model]] = {}
        children: dict[str, list[str]] = {}
        waiting = [item for each in self._waiters.values() for item in each.values()]
        for item in waiting:
            if item.state == WAITING:
                self._take_out(item)
                self._put(item)
        for model in event.models.values():
            if model.group is not None:
                members.setdefault(model.unit, []).append(model)
            for parent in model.parents:
                if parent in event.models:
                    children.setdefault(parent, []).append(model.id)
        self._models = event.models
        self._children = children
        self._groups = {unit: merged_models(unit, some) for unit, some in members.items()}
        self._has_project = self._is_parsed = True
        self._make_dirty(is_whole=True)

    def _project_failed(self, event: m.ProjectFailed) -> None:
        """Holds all units."""
        self._is_parsed = False

    def _set_settings(self, event: m.Set) -> None:
        """Takes new settings."""
        was, self.settings = self.settings, event.settings
        self._holds = Holds(self.settings.holds)
        for run in self._runs.values():
            self._set_deadline(run)
        if self.ring is not None and was.virtual_nodes != self.settings.virtual_nodes:
            self.ring = Ring(self.ring.nodes, self.settings.virtual_nodes)
        self._fetch_at = min(self._fetch_at, self._now + self.settings.fetch_interval)
        self._make_dirty(is_whole=True)

    def _run_now(self, event: m.RunNow) -> None:
        """Queues a unit out of turn."""
        item = self._item(event.id)
        if item is None:
            self._refuse(event.id, "this node owns no such view")
        elif item.flags & PAUSED:
            self._refuse(event.id, "it is paused: resume it first")
        elif item.state == RUNNING:
            self._refuse(event.id, "it is running")
        elif self._stop_at is not None:
            self._refuse(event.id, "this node is stopping")
        else:
            self._take_out(item)
            item.its_turn().is_manual = True
            self._enqueue(item)

    def _cancel_now(self, event: m.CancelNow) -> None:
        """Cancels the run of a unit; the unit is tried again as after a failure."""
        model = self._models.get(event.id)
        for run in self._runs.values():
            if model and any(item.id == model.unit for item in run.items) and run.how is None:
                self._cancel(run, "cancelled by request", "holders")
                return
        self._refuse(event.id, "it does not run on this node")

    def _refuse(self, name: str, reason: str) -> None:
        """Answers a request that cannot be done."""
        self._out.append(m.Refused(name, reason))

    def _sources_changed(self, event: m.SourcesChanged) -> None:
        """Views that listen are due, at their time."""
        for name in event.ids:
            item = self._item(name)
            if item is None or item.flags & CHANGED:
                continue
            item.flags |= CHANGED
            if item.state == IDLE and item.entry is None:
                self._put(item)

    def _poll(self) -> None:
        """Has sources listed: each source_poll, at most a quarter of the shortest pause."""
        if self._listeners and self._now >= self._poll_at:
            pause = max(min(self._listeners.values()) // 4, SECOND)
            self._poll_at = self._now + min(self.settings.source_poll, pause)
            ids = self._all_ids(self._listeners)
            self._out.append(m.PollSources(ids))

    def _memory(self, event: m.Memory) -> None:
        """Above its threshold nothing starts."""
        self._is_memory_high = event.is_high

    # Stopping

    def _stop(self, event: m.Stop) -> None:
        """Leaves; the second time, cancels now."""
        if self._stop_at is None:
            self._stop_at = self._now + self.settings.drain
            self._out.append(m.Leave())
            for item in list(self.items.values()):
                if item.state in (QUEUED, WAITING):
                    self._take_out(item)
        else:
            self._stop_at = self._now

    def _end(self) -> None:
        """Cancels what still runs when the time is over; says when all is done."""
        if self._stop_at is None or self._is_stopped:
            return
        if self._now >= self._stop_at:
            self._stop_at = NEVER
            for run in self._runs.values():
                self._cancel(run, "the node stops", "nobody")
        is_running = any(run.how is None for run in self._runs.values())
        # What state does not answer is left to the outbox and the next owner.
        if not is_running and all(one.tries for one in self._open.values()):
            self._is_stopped = True
            self._out.append(m.Stopped())


def has_come(ended: int | None, due: int | None) -> bool:
    """Whether something ended when, or after, something else was due."""
    return ended is not None and due is not None and ended >= due


def smallest(values: Iterable[int | None]) -> int | None:
    """The smallest of those that are given."""
    return min((value for value in values if value is not None), default=None)


def largest(values: Iterable[int | None]) -> int | None:
    """The largest of those that are given."""
    return max((value for value in values if value is not None), default=None)


def merged_models(unit: str, members: list[m.Model]) -> tuple[m.Model, tuple[str, ...]]:
    """A group as one model, and its members."""
    ids = tuple(sorted(model.id for model in members))
    timeouts = [model.timeout for model in members]
    model = replace(
        members[0],
        id=unit,
        parents=tuple(
            dict.fromkeys(one for model in members for one in model.parents if one not in ids)
        ),
        priority=max(model.priority for model in members),
        pool=next((model.pool for model in members if model.pool is not None), None),
        timeout=None if None in timeouts else largest(timeouts),
    )
    return model, ids
