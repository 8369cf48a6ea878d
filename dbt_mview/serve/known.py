"""What a node knows of units: those that it owns, and rows that it keeps to judge others by."""

from __future__ import annotations

from collections.abc import Container

from dbt_mview.serve import messages as m
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.listeners import Listeners
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.plans import Plans
from dbt_mview.serve.times import jitter
from dbt_mview.serve.unit import (
    BROKEN,
    CHANGED,
    DONE,
    GONE,
    IDLE,
    LISTENS,
    OFF,
    PAUSED,
    Item,
    has_come,
    largest,
    smallest,
)


class Known:
    """Units by id.

    Attributes:
        items: what this node owns.
        rows: those that are kept whole: of members of groups, and of parents that other nodes own.
        paused: since when, of those of `items` that are; few are.
    """

    __slots__ = ("_graph", "_listeners", "_moment", "_plans", "_seed", "items", "paused", "rows")

    def __init__(
        self, moment: Moment, graph: Graph, plans: Plans, listeners: Listeners, seed: int
    ) -> None:
        """Nothing is known yet.

        Args:
            moment: of the core.
            graph: of the project.
            plans: told of schedules without a next time.
            listeners: told of what waits for its sources.
            seed: of the jitter.
        """
        self.items: dict[str, Item] = {}
        self.rows: dict[str, m.Row] = {}
        self.paused: dict[str, int] = {}
        self._moment = moment
        self._graph = graph
        self._plans = plans
        self._listeners = listeners
        self._seed = seed

    def item(self, name: str) -> Item | None:
        """The unit of a view or log, if this node owns it."""
        model = self._graph.models.get(name)
        return self.items.get(model.unit) if model else None

    def keep(self, row: m.Row) -> bool:
        """Keeps a row. Returns whether it is no older than the one that is kept."""
        known = self.rows.get(row.id)
        if known is not None and row.version < known.version:
            return False
        self.rows[row.id] = row
        return True

    def merged(self, unit: str) -> m.Row:
        """The rows of a group as one: due with its first member, moved when all have."""
        rows = [self.rows[one] for one in self._graph.ids(unit) if one in self.rows]
        ended = [row.ended for row in rows]
        return m.Row(
            unit,
            version=max(row.version for row in rows),
            next_time=smallest(row.next_time for row in rows),
            retry_time=largest(row.retry_time for row in rows),
            failures=max(row.failures for row in rows),
            ended=None if None in ended else smallest(ended),
            lease_until=largest(row.lease_until for row in rows),
            paused_time=smallest(row.paused_time for row in rows),
            took=None if any(row.took is None for row in rows) else sum(r.took or 0 for r in rows),
            cron=next((row.cron for row in rows if row.cron and row.next_time is None), None),
            at_most_every=smallest(row.at_most_every for row in rows)
            if all(row.at_most_every is not None for row in rows)
            else None,
        )

    def copy(self, item: Item, row: m.Row) -> None:
        """Copies a row into an item."""
        moment = self._moment
        flags = item.flags & (CHANGED | GONE)
        if row.paused_time is not None:
            flags |= PAUSED
            self.paused[item.id] = row.paused_time
        elif self.paused:
            self.paused.pop(item.id, None)
        if row.failures >= moment.settings.broken_after:
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
        if row.lease_until is not None and row.lease_until > moment.engine and due is not None:
            due = max(due, row.lease_until)
        item.due = due
        pauses = self._listeners.pauses
        if flags & LISTENS:
            pauses.setdefault(item.id, row.at_most_every or 0)
        elif pauses:
            pauses.pop(item.id, None)
        if row.cron is not None and due is None and not flags & OFF:
            self._plans.work_out(self._graph.ids(item.id), self.rows, row)

    def is_due(self, item: Item) -> bool:
        """Whether it is due, or was asked for, by what its row says now."""
        if item.flags & PAUSED:
            return False
        if item.turn is not None and item.turn.is_manual:
            return True
        return not item.flags & OFF and item.due is not None and item.due <= self._moment.engine

    def forget(self, item: Item) -> None:
        """An item is this node's no more."""
        del self.items[item.id]
        self._listeners.pauses.pop(item.id, None)
        self.paused.pop(item.id, None)
        for name in self._graph.ids(item.id):
            self._plans.problems.pop(name, None)

    # Parents before children

    def has_pending_parent(self, item: Item, besides: Container[str]) -> bool:
        """Whether it has to wait for a view that it reads.

        Args:
            item: the child.
            besides: units that are in one batch with it: dbt runs parents first.
        """
        model = self._graph.model(item.id)
        if model is None or not model.parents or (item.turn is not None and item.turn.has_waited):
            return False
        return any(self._is_pending(parent, besides, item.due) for parent in model.parents)

    def _is_pending(self, parent: str, besides: Container[str], due: int | None) -> bool:
        """Whether a view is due or running; by its plan, also between its retries.

        One that has succeeded since its child was due is not, though it may be due again: where
        its runs are longer than its interval it always is, and the child would never come.
        """
        model = self._graph.models.get(parent)
        if model is None or model.unit in besides:
            return False
        engine = self._moment.engine
        item = self.items.get(model.unit)
        # Of one that is another node's by now, and runs here yet, the row tells more.
        if item is not None and not item.flags & GONE:
            if not item.failures and has_come(item.ended, due):
                return False
            if item.state != IDLE:
                is_done = item.flags & DONE and item.due is not None and item.due > engine
                return not is_done
            if item.flags & OFF or (item.flags & LISTENS and not item.flags & CHANGED):
                return False
            return item.next_time is not None and item.next_time <= engine
        row = self.rows.get(parent)
        if row is not None and model.group is not None:
            row = self.merged(model.unit)
        if row is None or (not row.failures and has_come(row.ended, due)):
            return False
        if row.lease_until is not None and row.lease_until > engine:
            return True
        if row.paused_time is not None or row.failures >= self._moment.settings.broken_after:
            return False
        if row.at_most_every is not None and not row.failures:
            return False
        return row.next_time is not None and row.next_time <= engine
