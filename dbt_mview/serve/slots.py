"""Slots of a node: how many runs of a kind, and units of a pool, there may be at once."""

from __future__ import annotations

from dbt_mview.serve import messages as m
from dbt_mview.serve.batches import Lane, batch_limit, slots_for
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.share import Share
from dbt_mview.serve.times import SECOND


class Slots:
    """Those that are taken, of those that the settings give."""

    __slots__ = ("_moment", "_pools", "_share", "_taken")

    def __init__(self, moment: Moment, share: Share) -> None:
        """All are free."""
        self._moment = moment
        self._share = share
        self._taken: dict[m.Kind, int] = {"view": 0, "log": 0}
        self._pools: dict[str, int] = {}

    def take(self, lane: Lane, units: int) -> None:
        """A run of so many units takes one."""
        self._count(lane, 1, units)

    def free(self, lane: Lane, units: int) -> None:
        """A run gives it back."""
        self._count(lane, -1, -units)

    def _count(self, lane: Lane, runs: int, units: int) -> None:
        """More of them, or fewer."""
        self._taken[lane.kind] += runs
        if lane.pool is not None:
            self._pools[lane.pool] = self._pools.get(lane.pool, 0) + units

    def left(self, kind: m.Kind) -> int:
        """Free slots for a kind."""
        workers = self._moment.settings.workers
        all_left = workers - sum(self._taken.values())
        return min(all_left, slots_for(kind, workers) - self._taken[kind])

    def _pool_room(self, pool: str) -> int:
        """How many more units of a pool may run here: its slots are shared out among nodes."""
        slots = self._moment.settings.pools.get(pool, 1)
        # Fewer slots than nodes are all on one node, see `Share.owner`.
        return (slots // self._share.nodes() or slots) - self._pools.get(pool, 0)

    def has_room(self, lane: Lane) -> bool:
        """Whether a unit of a lane may start."""
        return self.left(lane.kind) > 0 and (lane.pool is None or self._pool_room(lane.pool) > 0)

    def limit(self, lane: Lane, queued: int) -> int:
        """How many units a batch may have.

        Args:
            lane: of which it is.
            queued: that wait in it.
        """
        settings = self._moment.settings
        limit = batch_limit(
            settings.batch_size,
            lane.duration,
            queued,
            self.left(lane.kind),
            (settings.timeout if lane.timeout is None else lane.timeout) / SECOND,
        )
        return limit if lane.pool is None else min(limit, self._pool_room(lane.pool))
