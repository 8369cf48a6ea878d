"""Which due units go into one `dbt run --select`.

A run writes its results at its end, so a slow unit would delay the quick ones beside it: units of a
batch are of one class of expected duration. One that is new, or that timed out, is alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from dbt_mview.serve.heap import Heap, Heapable
from dbt_mview.serve.messages import Kind

QUICK, MEDIUM, LONG, ALONE = range(4)
QUICK_BELOW = 10.0
MEDIUM_BELOW = 120.0
# As many seconds a unit of a class may take, when a batch is filled.
EXPECTED = {QUICK: QUICK_BELOW, MEDIUM: MEDIUM_BELOW, LONG: 600.0, ALONE: 0.0}


def duration_class(took: float | None) -> int:
    """The class of a unit by its last duration.

    Args:
        took: seconds, or None for a new one.
    """
    if took is None:
        return ALONE
    return QUICK if took < QUICK_BELOW else MEDIUM if took < MEDIUM_BELOW else LONG


def batch_limit(size: int, duration: int, queued: int, free: int, timeout: float) -> int:
    """How many units a batch may have.

    Args:
        size: batch_size of the settings.
        duration: the class.
        queued: units of the class that wait for a slot.
        free: slots, this batch's among them. Units that take longer are spread over them.
        timeout: seconds after which the batch is cancelled; it should be done in half of that.
    """
    if duration == ALONE:
        return 1
    most = min(size, int(timeout / 2 / EXPECTED[duration]))
    if duration != QUICK:
        most = min(most, -(-queued // free))
    return max(most, 1)


def slots_for(kind: Kind, workers: int) -> int:
    """How many slots a kind may take: purges one in four, refreshes the rest, at least one each.

    Args:
        kind: view or log.
        workers: all slots.
    """
    purges = workers // 4
    return max(purges, 1) if kind == "log" else max(workers - purges, 1)


class Lane(NamedTuple):
    """Units that may be in one batch: they are also cancelled after the same time."""

    kind: Kind
    duration: int
    pool: str | None
    is_manual: bool
    timeout: int | None = None  # None: that of the settings


T = TypeVar("T", bound=Heapable)


class Queues(Generic[T]):
    """What waits for a slot: a heap for each lane, first come first served by priority."""

    __slots__ = ("_lanes", "_size")

    def __init__(self) -> None:
        """Empty."""
        self._lanes: dict[Lane, Heap[T]] = {}
        self._size = 0

    def __len__(self) -> int:
        """How many units wait."""
        return self._size

    def push(self, item: T, lane: Lane, key: int) -> None:
        """Queues a unit."""
        self._lanes.setdefault(lane, Heap()).push(item, key)
        self._size += 1

    def remove(self, item: T, lane: Lane) -> None:
        """Takes a unit out that was queued in this lane."""
        self._lanes[lane].remove(item)
        self._size -= 1

    def waiting(self, lane: Lane) -> int:
        """How many units wait in a lane."""
        return len(self._lanes.get(lane, ()))

    def first(self, is_open: Callable[[Lane], bool]) -> Lane | None:
        """The lane whose head is next among those that may start; None if none may.

        Args:
            is_open: whether a lane has a free slot.
        """
        best: tuple[int, Lane] | None = None
        for lane, heap in self._lanes.items():
            key = heap.key()
            if key is not None and (best is None or key < best[0]) and is_open(lane):
                best = key, lane
        return best[1] if best else None

    def pop(self, lane: Lane) -> T:
        """The next unit of a lane."""
        self._size -= 1
        return self._lanes[lane].pop()
