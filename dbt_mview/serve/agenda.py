"""Where units are: until they are due, while they rest or wait for a parent, and in the queue."""

from __future__ import annotations

from collections.abc import Callable

from dbt_mview.serve.batches import ALONE, Lane, Queues, duration_class
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.heap import Heap
from dbt_mview.serve.known import Known
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.times import MINUTE, Holds
from dbt_mview.serve.unit import CHANGED, IDLE, LISTENS, NEVER, OFF, QUEUED, WAITING, Item

AGING = 5 * MINUTE


class Agenda:
    """All items that do not run, each in one place.

    Attributes:
        dues: idle ones, by the engine's clock.
        timers: those that rest and those that wait, by the monotonic clock.
        queues: what waits for a slot.
        waiters: what waits for a parent, by its id.
        waiting: how many wait for a parent.
        holds: windows without planned starts.
    """

    __slots__ = (
        "_graph",
        "_is_ours",
        "_known",
        "_lanes",
        "_moment",
        "_ticket",
        "dues",
        "holds",
        "queues",
        "timers",
        "waiters",
        "waiting",
    )

    def __init__(
        self, moment: Moment, graph: Graph, known: Known, is_ours: Callable[[str], bool]
    ) -> None:
        """Empty.

        Args:
            moment, graph, known: as of the core.
            is_ours: see `Share.is_ours`.
        """
        self.dues: Heap[Item] = Heap()
        self.timers: Heap[Item] = Heap()
        self.queues: Queues[Item] = Queues()
        self.waiters: dict[str, dict[str, Item]] = {}
        self.waiting = 0
        self.holds = Holds(moment.settings.holds)
        self._moment = moment
        self._graph = graph
        self._known = known
        self._is_ours = is_ours
        self._ticket = 0
        self._lanes: dict[Lane, Lane] = {}  # one object of each, not one for each unit

    def put(self, item: Item, rest: int = 0) -> None:
        """Puts an idle item where its time will be noticed: that of its due, or of its rest."""
        if item.flags & OFF or item.due is None:
            return
        if item.flags & LISTENS and not item.flags & CHANGED:
            return
        if rest:
            item.its_turn().is_resting = True
            self.timers.push(item, self._moment.now + rest)
        else:
            self.dues.push(item, item.due)

    def take_out(self, item: Item) -> None:
        """Takes an item out of wherever it is; it is idle, and nothing will notice its time."""
        turn = item.turn
        if item.state == QUEUED and turn is not None and turn.lane is not None:
            self.queues.remove(item, turn.lane)
        elif item.state == WAITING:
            self.timers.remove(item)
            self._stop_waiting(item)
        elif turn is not None and turn.is_resting:
            self.timers.remove(item)
            turn.is_resting = False
        elif item.entry is not None:
            self.dues.remove(item)
        item.state = IDLE

    def fire_timers(self) -> None:
        """Ends rests, and waits for parents."""
        now = self._moment.now
        while (at := self.timers.key()) is not None and at <= now:
            item = self.timers.pop()
            turn = item.its_turn()
            if item.state == WAITING:
                self._stop_waiting(item)
                turn.has_waited = True
                self.enqueue(item)
            else:
                turn.is_resting = False
                self.put(item)

    def take_due(self) -> None:
        """Takes all that is due, the oldest first, equal ones by id."""
        engine = self._moment.engine
        while (due := self.dues.key()) is not None and due <= engine:
            item = self.dues.pop()
            if self.may_start(item):
                self.enqueue(item)

    def may_start(self, item: Item) -> bool:
        """Whether a due item may start; if not, it is put where it will be noticed again.

        One that another node owns now is put nowhere: it leaves when all rows are read again.
        """
        if not self._is_ours(item.id):
            return False
        engine = self._moment.engine
        if item.due is not None and item.due > engine:
            self.put(item)  # the engine's clock went back while it was queued
            return False
        until = self.holds.until(item.id, engine)
        if until:
            self.dues.push(item, until)
            return False
        if self._known.has_pending_parent(item, ()):
            self._wait(item)
            return False
        return True

    # The queue

    def enqueue(self, item: Item) -> None:
        """Queues an item: first come first served, and 5 minutes earlier for each priority."""
        turn = item.its_turn()
        model = self._graph.model(item.id)
        priority = model.priority if model else 3
        # Within a step all come at once; tickets keep them in the order of their due times.
        self._ticket = max(self._ticket + 1, self._moment.now)
        first = NEVER if turn.is_manual else 0
        turn.lane = self._lane(item)
        item.state = QUEUED
        self.queues.push(item, turn.lane, self._ticket - priority * AGING - first)

    def _lane(self, item: Item) -> Lane:
        """Which units it may be in one batch with."""
        model = self._graph.model(item.id)
        turn = item.turn
        is_manual = turn is not None and turn.is_manual
        is_alone = is_manual or (turn is not None and turn.is_alone)
        pool = model.pool if model and model.pool in self._moment.settings.pools else None
        duration = ALONE if is_alone else duration_class(item.took)
        kind, timeout = (model.kind, model.timeout) if model else ("view", None)
        lane = Lane(kind, duration, pool, is_manual, timeout)
        return self._lanes.setdefault(lane, lane)

    def pick(self, lane: Lane, limit: Callable[[Lane, int], int]) -> list[Item]:
        """Takes a batch from a lane; with children that wait for nothing else.

        Args:
            lane: which.
            limit: how many it may have, of so many that are queued.
        """
        queues = self.queues
        most = limit(lane, queues.waiting(lane))
        items: list[Item] = []
        while len(items) < most and queues.waiting(lane):
            item = queues.pop(lane)
            item.state = IDLE
            if lane.is_manual or self.may_start(item):
                items.append(item)
        if self.waiters:
            self._add_children(lane, items, most)
        return items

    def _add_children(self, lane: Lane, items: list[Item], limit: int) -> None:
        """Adds waiting children of a batch's units to it, and theirs."""
        units = {item.id for item in items}
        for item in items:  # which grows meanwhile
            for name in self._graph.ids(item.id):
                for child in list(self.waiters.get(name, {}).values()):
                    if len(items) >= limit:
                        return
                    is_free = not self._known.has_pending_parent(child, units)
                    is_due = self._known.is_due(child)  # unless the engine's clock went back
                    is_alike = self._lane(child) == lane and self._is_ours(child.id)
                    is_held = bool(self.holds.until(child.id, self._moment.engine))
                    if is_free and is_due and is_alike and not is_held:
                        self.take_out(child)
                        items.append(child)
                        units.add(child.id)

    # Waiting for parents

    def _wait(self, item: Item) -> None:
        """Lets an item wait for its parents, for upstream_wait at most."""
        moment = self._moment
        item.state = WAITING
        self.waiting += 1
        self.timers.push(item, moment.now + moment.settings.upstream_wait)
        model = self._graph.model(item.id)
        for parent in model.parents if model else ():
            self.waiters.setdefault(parent, {})[item.id] = item

    def _stop_waiting(self, item: Item) -> None:
        """It waits no more."""
        self.waiting -= 1
        model = self._graph.model(item.id)
        for parent in model.parents if model else ():
            children = self.waiters.get(parent, {})
            children.pop(item.id, None)
            if not children:
                self.waiters.pop(parent, None)

    def stop_all_waiting(self) -> None:
        """Parents may be others from now on: what waits is judged anew."""
        for item in [item for each in self.waiters.values() for item in each.values()]:
            if item.state == WAITING:
                self.take_out(item)
                self.put(item)

    def notice(self, unit: str) -> None:
        """Something has become of a unit: its children may go on."""
        for name in self._graph.ids(unit):
            self.notice_row(name)

    def notice_row(self, name: str) -> None:
        """The same of one view."""
        for child in list(self.waiters.get(name, {}).values()):
            if not self._known.has_pending_parent(child, ()):
                self.take_out(child)
                self.enqueue(child)
