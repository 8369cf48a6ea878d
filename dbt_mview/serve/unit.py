"""One unit as a core sees it: where it is, what is known of it, and of its current turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dbt_mview.serve.batches import Lane

# What a unit is doing.
IDLE, QUEUED, WAITING, RUNNING = range(4)
STATES = ("idle", "queued", "waiting", "running")
# Its flags. LISTENS: due only once a source has changed. CHANGED: one has. While it runs, GONE: it
# leaves at its end; DONE: state says that it has succeeded, others of its batch still run.
PAUSED, BROKEN, LISTENS, CHANGED, GONE, DONE = 1, 2, 4, 8, 16, 32
OFF = PAUSED | BROKEN

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


def has_come(ended: int | None, due: int | None) -> bool:
    """Whether something ended when, or after, something else was due."""
    return ended is not None and due is not None and ended >= due


def smallest(values: Iterable[int | None]) -> int | None:
    """The smallest of those that are given."""
    return min((value for value in values if value is not None), default=None)


def largest(values: Iterable[int | None]) -> int | None:
    """The largest of those that are given."""
    return max((value for value in values if value is not None), default=None)
