"""A heap whose items move and leave."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dbt_mview.serve.heap import FEW, Heap


class Item:
    """As little as a heap needs."""

    def __init__(self, name: str) -> None:
        self.id = name
        self.entry: tuple[int, str, Any] | None = None

    def __lt__(self, other: object) -> bool:
        return False


class Machine(RuleBasedStateMachine):
    """Beside a dict, which is searched."""

    def __init__(self) -> None:
        super().__init__()
        self.heap: Heap[Item] = Heap()
        self.model: dict[str, tuple[int, Item]] = {}

    def first(self) -> tuple[int, str]:
        return min((key, name) for name, (key, _) in self.model.items())

    @rule(name=st.sampled_from("abcdefgh"), key=st.integers(0, 9))
    def push_or_move(self, name: str, key: int) -> None:
        item = self.model[name][1] if name in self.model else Item(name)
        if item.entry is not None:
            self.heap.remove(item)
        self.heap.push(item, key)
        self.model[name] = key, item

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: Any) -> None:
        name = data.draw(st.sampled_from(sorted(self.model)))
        self.heap.remove(self.model.pop(name)[1])

    @precondition(lambda self: self.model)
    @rule()
    def pop(self) -> None:
        key, name = self.first()
        item = self.heap.pop()
        assert item is self.model.pop(name)[1] and item.entry is None and key >= 0

    @invariant()
    def agrees(self) -> None:
        assert len(self.heap) == len(self.model)
        assert self.heap.key() == (self.first()[0] if self.model else None)


TestMachine = Machine.TestCase


def test_it_is_compacted_when_half_of_it_is_left_over() -> None:
    heap: Heap[Item] = Heap()
    item = Item("a")
    others = [Item(str(number)) for number in range(100)]
    for number, other in enumerate(others):
        heap.push(other, number)
    heap.push(item, 0)
    for key in range(10_000):
        heap.remove(item)
        heap.push(item, key % 7)
        assert len(heap._entries) <= 2 * len(heap) + FEW
    assert [heap.pop().id for _ in range(101)].count("a") == 1
    with pytest.raises(IndexError):
        heap.pop()


def test_an_item_that_came_back_under_its_id_is_another() -> None:
    heap: Heap[Item] = Heap()
    old, new = Item("a"), Item("a")
    heap.push(old, 5)
    heap.remove(old)
    heap.push(new, 5)
    assert heap.pop() is new and len(heap) == 0
