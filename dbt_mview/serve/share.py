"""Which units are this node's: the ring of the nodes that take work, and what others have left."""

from __future__ import annotations

from dbt_mview.serve import messages as m
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.ring import HEARTBEAT, Membership, Ring
from dbt_mview.serve.unit import NEVER


class Share:
    """One node among the others.

    Attributes:
        node: its name.
        ring: who owns what; None until the database was reached.
        is_moving: units have changed hands, and all rows were not read again since.
        is_member: whether the other nodes count on it, and have heard so.
        lost: nodes whose runs are to be looked for.
        membership: who is alive.
    """

    __slots__ = (
        "_announced",
        "_graph",
        "_moment",
        "is_member",
        "is_moving",
        "lost",
        "membership",
        "node",
        "ring",
    )

    def __init__(self, node: str, moment: Moment, graph: Graph) -> None:
        """It has heard of nobody yet."""
        self.node = node
        self.ring: Ring | None = None
        self.is_member = False
        self.is_moving = False
        self.lost: dict[str, None] = {}
        self.membership = Membership(node)
        self._announced: int | None = -NEVER  # monotonic; None while it starts
        self._moment = moment
        self._graph = graph

    def owner(self, unit: str, model: m.Model | None) -> str | None:
        """The node that owns a unit. A pool of fewer slots than nodes is one node's."""
        ring = self.ring
        if ring is None:
            return None
        if model is not None and model.pool is not None:
            slots = self._moment.settings.pools.get(model.pool)
            if slots is not None and slots < len(ring.nodes):
                return ring.owner(model.pool)
        return ring.owner(unit)

    def is_mine(self, unit: str, model: m.Model) -> bool:
        """Whether this node owns a unit."""
        return self.owner(unit, model) == self.node

    def is_ours(self, unit: str) -> bool:
        """Whether a unit that this node has is its own, so that it may start it."""
        return not self.is_moving or self.owner(unit, self._graph.model(unit)) == self.node

    def has_child(self, parent: str) -> bool:
        """Whether this node owns a unit that reads a view."""
        graph = self._graph
        for child in graph.children.get(parent, ()):
            unit = graph.models[child].unit
            model = graph.model(unit)
            if model is not None and self.is_mine(unit, model):
                return True
        return False

    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.ring.nodes) if self.ring else 1

    def heard(self, event: m.Beats) -> bool:
        """Takes heartbeats, and looks for the runs of the dead.

        Returns:
            Whether units have changed hands, so that all rows have to be read again.
        """
        moment = self._moment
        living, others = self.membership.heard(moment.now, event.clock, event.last, event.starting)
        has_changed = self.ring is None or self.ring.nodes != living
        if has_changed:
            if self.ring is None:
                self.lost[self.node] = None  # what it left itself, before it started
            self.ring = Ring(living, moment.settings.virtual_nodes)
            self.lost.update(dict.fromkeys(others))
        was_member, self.is_member = self.is_member, self._is_counted_on(event)
        for node in list(self.lost):
            if node != self.node and node in living:
                del self.lost[node]
            elif node == self.node or self.is_member:
                moment.do(m.FindRuns(node))
        self.is_moving |= has_changed
        return has_changed or self.is_member > was_member

    def stalled(self) -> None:
        """Others may call this node lost: it starts nothing until it has heard of them.

        That they have heard of it takes a heartbeat more, as where it has just started.
        """
        self.is_member = False
        self._announced = None

    def _is_counted_on(self, event: m.Beats) -> bool:
        """Whether this node takes work, and the others know it, so that none keeps its units.

        Nodes that start together would each take all units otherwise: each hears of the others at
        its own next heartbeat.
        """
        if self.node in event.starting:
            self._announced = None
            return False
        now = self._moment.now
        if self._announced is None:
            self._announced = now
        is_stale = self.membership.is_stale
        others = (at for node, at in event.last.items() if node != self.node)
        return now - self._announced >= HEARTBEAT or all(is_stale(event.clock, at) for at in others)

    def found(self, event: m.Orphans) -> list[m.Orphan]:
        """Those runs of a node that is gone which this one has to end: each is one node's."""
        self.lost.pop(event.node, None)
        if self.ring is None:
            return []
        is_own = event.node == self.node
        return [one for one in event.runs if is_own or self.ring.owner(one.run) == self.node]

    def resize(self) -> None:
        """The number of virtual nodes has changed."""
        if self.ring is not None:
            self.ring = Ring(self.ring.nodes, self._moment.settings.virtual_nodes)
