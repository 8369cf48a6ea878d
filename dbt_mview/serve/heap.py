"""A heap whose items can be moved and removed: heapq with lazy deletion.

An item that leaves stays in the list as an entry that nobody stands behind, until it reaches the
top, or until such entries are more than half of all. So push, pop and remove take O(log n), spread
over many calls.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, Generic, Protocol, TypeVar

# Below this many entries a heap is not worth compacting.
FEW = 64


class Heapable(Protocol):
    """An item that is in one heap at a time. Equal keys are ordered by id.

    `entry` belongs to the heap: it is the entry that the item stands behind, None outside of heaps.
    Items are compared only where two of one id meet at one key, of which one has left.
    """

    id: str
    entry: tuple[int, str, Any] | None

    def __lt__(self, other: Any, /) -> bool:
        """Any answer is good."""


T = TypeVar("T", bound=Heapable)


class Heap(Generic[T]):
    """Items by key, the smallest first; equal keys by id."""

    __slots__ = ("_entries", "_size")

    def __init__(self) -> None:
        """Empty."""
        self._entries: list[tuple[int, str, T]] = []
        self._size = 0

    def __len__(self) -> int:
        """How many items are in it."""
        return self._size

    def push(self, item: T, key: int) -> None:
        """Puts an item in that is in no heap."""
        entry = (key, item.id, item)
        item.entry = entry
        heappush(self._entries, entry)
        self._size += 1

    def remove(self, item: T) -> None:
        """Takes an item out that is in this heap."""
        item.entry = None
        self._size -= 1
        if len(self._entries) > 2 * self._size + FEW:
            self._entries = [one for one in self._entries if one[2].entry is one]
            heapify(self._entries)

    def key(self) -> int | None:
        """The smallest key; None if it is empty."""
        entries = self._entries
        while entries:
            top = entries[0]
            if top[2].entry is top:
                return top[0]
            heappop(entries)
        return None

    def pop(self) -> T:
        """Takes the first item out.

        Raises:
            IndexError: it is empty.
        """
        while True:
            entry = heappop(self._entries)
            item = entry[2]
            if item.entry is entry:
                item.entry = None
                self._size -= 1
                return item
