"""What became of a unit of a run, by its row: a success, a failure, or neither."""

from __future__ import annotations

from collections.abc import Mapping

from dbt_mview.serve import messages as m
from dbt_mview.serve.agenda import Agenda
from dbt_mview.serve.batches import Lane
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.known import Known
from dbt_mview.serve.reading import Reading
from dbt_mview.serve.times import RETRY_MOST, SECOND, backoff
from dbt_mview.serve.unit import IDLE, LISTENS, NEVER, Item, Turn

KILLS = 3


class Run:
    """A run of this node as the core has it, until it is settled; `runs.DbtRun` carries it out."""

    __slots__ = (
        "began",
        "charge",
        "charged",
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
        self.charged: tuple[str, ...] = ()  # of all, those alone; none for all

    def has_died(self) -> None:
        """Its process died: its units run alone; one that was alone at its third is charged."""
        for item in self.items:
            turn = item.its_turn()
            turn.is_alone = True
            turn.kills += 1
            if len(self.items) == 1 and turn.kills >= KILLS:
                turn.kills = 0
                self.charge = "all"


class Judge:
    """Puts the units of a run that has ended where they belong."""

    __slots__ = ("_agenda", "_graph", "_known", "_reading")

    def __init__(self, graph: Graph, known: Known, agenda: Agenda, reading: Reading) -> None:
        """It needs no state of its own."""
        self._graph = graph
        self._known = known
        self._agenda = agenda
        self._reading = reading

    def judge_all(self, run: Run, rows: Mapping[str, m.Row]) -> None:
        """All units of a run, by the rows of its views and logs."""
        for item in run.items:
            self._judge(run, item, self._row_of(item, rows))

    def _row_of(self, item: Item, rows: Mapping[str, m.Row]) -> m.Row | None:
        """The row of a unit among those that were read; None if it is gone."""
        if item.id not in self._graph.groups:
            return rows.get(item.id)
        found = [name for name in self._graph.ids(item.id) if name in rows]
        for name in found:
            self._known.keep(rows[name])
        return self._known.merged(item.id) if found else None

    def _judge(self, run: Run, item: Item, row: m.Row | None) -> None:
        """One unit: success, failure, or neither (busy, cut off, not reached)."""
        item.state = IDLE
        if row is None or not self._reading.keep(item):
            self._reading.forget(item)
            return
        moved = row.next_time != item.next_time or row.ended != item.ended
        has_failed = row.failures > item.failures
        has_succeeded = not row.failures and (moved or item.failures > 0)
        turn = item.its_turn()
        turn.is_manual = turn.has_waited = False
        self._known.copy(item, row)
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
        self._agenda.put(item, rest)
        self._agenda.notice(item.id)

    def _has_moved(self, run: Run, item: Item) -> bool:
        """Whether a success has moved the plan beyond the begin of its run."""
        return item.due is None or item.due > run.engine_began

    def _rest(self, turn: Turn) -> int:
        """How long a unit rests that is due as before: 1 s, doubling."""
        turn.misses += 1
        return backoff(turn.misses, SECOND, RETRY_MOST)
