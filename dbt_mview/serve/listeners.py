"""Units that are due only once a source has changed, and when their sources are looked at."""

from __future__ import annotations

from dbt_mview.serve import messages as m
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.times import SECOND


class Listeners:
    """Those of this node.

    Attributes:
        pauses: by id of the unit, the shortest time between two of its refreshes.
        poll_at: when their sources are looked at next.
    """

    __slots__ = ("_graph", "_moment", "pauses", "poll_at")

    def __init__(self, moment: Moment, graph: Graph) -> None:
        """None."""
        self.pauses: dict[str, int] = {}
        self.poll_at = 0
        self._moment = moment
        self._graph = graph

    def poll(self) -> None:
        """Has sources listed: each source_poll, at most a quarter of the shortest pause."""
        moment = self._moment
        if self.pauses and moment.now >= self.poll_at:
            pause = max(min(self.pauses.values()) // 4, SECOND)
            self.poll_at = moment.now + min(moment.settings.source_poll, pause)
            moment.do(m.PollSources(self._graph.all_ids(self.pauses)))
