"""Rows of state that were read: what they change of the units of this node."""

from __future__ import annotations

from dbt_mview.serve import messages as m
from dbt_mview.serve.agenda import Agenda
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.known import Known
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.share import Share
from dbt_mview.serve.unit import DONE, GONE, IDLE, RUNNING, Item


class Reading:
    """Applies rows. What this node does not own is dropped, but for parents of what it owns."""

    __slots__ = ("_agenda", "_graph", "_known", "_moment", "_share", "_told")

    def __init__(
        self, moment: Moment, graph: Graph, share: Share, known: Known, agenda: Agenda
    ) -> None:
        """Nothing was read yet."""
        self._moment = moment
        self._graph = graph
        self._share = share
        self._known = known
        self._agenda = agenda
        # Units whose rows were read at the end of a run since the last answer.
        self._told: set[str] = set()

    def take(self, event: m.Fetched) -> None:
        """All of an answer; what vanished from state vanishes here.

        Unless a run has ended with its row meanwhile: this answer may be the older one of the two.
        """
        known = self._known
        seen = {unit for row in event.rows if (unit := self.read(row)) is not None}
        if event.is_whole:
            if len(seen) != len(known.items):
                kept = seen | self._told
                for unit in [one for one in known.items if one not in kept]:
                    self._lose(unit)
            if known.rows:
                names = {row.id for row in event.rows if row.id in known.rows}
                known.rows = {name: row for name, row in known.rows.items() if name in names}
        for name in event.gone:
            self._vanish(name)
        self._told.clear()

    def keep(self, item: Item) -> bool:
        """A run has ended with the row of a unit. Returns whether it is this node's still."""
        model = self._graph.model(item.id)
        if model is None or not self._share.is_mine(item.id, model):
            return False
        item.flags &= ~GONE
        self._told.add(item.id)
        return True

    def read(self, row: m.Row) -> str | None:
        """Applies a row. Returns the unit if this node owns it."""
        graph, known = self._graph, self._known
        model = graph.models.get(row.id)
        if model is None:
            return None
        unit = row.id
        if model.group is not None:
            unit = model.unit
            model = graph.groups[unit][0]
        if not self._share.is_mine(unit, model):
            self._read_foreign(row, unit)
            return None
        if unit != row.id:
            if not known.keep(row):
                return unit
            row = known.merged(unit)
        item = known.items.get(unit)
        if item is None:
            item = known.items[unit] = Item(unit)
            known.rows.pop(unit, None)
        elif self._is_old(item, row):
            return unit
        self._update(item, row)
        if self._agenda.waiters:
            self._agenda.notice(unit)
        return unit

    def _is_old(self, item: Item, row: m.Row) -> bool:
        """Whether a row was read before what is known already: before a run ended, say."""
        return row.version < item.version

    def _read_foreign(self, row: m.Row, unit: str) -> None:
        """Keeps the row of another node's unit where one of this node waits for it."""
        known = self._known
        if unit in known.items:
            self._lose(unit)
        kept = known.rows.get(row.id)
        if kept is not None and row.version < kept.version:
            return
        if any(self._share.has_child(one) for one in self._graph.ids(unit)):
            known.rows[row.id] = row
            self._agenda.notice(unit)
        else:
            known.rows.pop(row.id, None)

    def _update(self, item: Item, row: m.Row) -> None:
        """Gives an item what its row says. Of a running one nothing but its end changes that."""
        if item.state == RUNNING:
            item.flags &= ~GONE
            is_newer = row.version > item.version
            is_free = is_newer and row.lease_until is None and not row.failures
            if is_free and row.next_time is not None and row.next_time > self._moment.engine:
                item.flags |= DONE
                item.due = row.next_time
            return
        was = item.due, item.flags
        self._known.copy(item, row)
        if item.state != IDLE:
            if self._known.is_due(item):
                return
            # What was asked for, or had waited, was this turn, which is over without a run.
            turn = item.its_turn()
            turn.is_manual = turn.has_waited = False
        elif item.entry is not None and (item.due, item.flags) == was:
            return
        self._agenda.take_out(item)
        self._agenda.put(item)

    def _vanish(self, name: str) -> None:
        """A row is gone: its unit leaves, or a group goes on without it."""
        known, graph = self._known, self._graph
        known.rows.pop(name, None)
        model = graph.models.get(name)
        unit = name if model is None else model.unit
        if unit in self._told or any(one in known.rows for one in graph.ids(unit)):
            return
        self._lose(unit)
        self._agenda.notice_row(name)

    def _lose(self, unit: str) -> None:
        """A unit is another node's from now on, or gone. A running one leaves at its end."""
        item = self._known.items.get(unit)
        if item is None:
            return
        if item.state == RUNNING:
            item.flags |= GONE
            return
        self._agenda.take_out(item)
        self.forget(item)

    def forget(self, item: Item) -> None:
        """Removes an item that is nowhere any more."""
        self._known.forget(item)
        self._agenda.notice(item.id)
