"""What goes into one dbt run, and how many slots there are."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_mview.serve.batches import (
    ALONE,
    LONG,
    MEDIUM,
    QUICK,
    Lane,
    Queues,
    batch_limit,
    duration_class,
    slots_for,
)


@pytest.mark.parametrize(
    ("took", "expected"),
    [(None, ALONE), (0.0, QUICK), (9.99, QUICK), (10.0, MEDIUM), (119.9, MEDIUM), (120.0, LONG)],
)
def test_classes(took: float | None, expected: int) -> None:
    assert duration_class(took) == expected


def test_quick_ones_fill_a_batch_and_slow_ones_spread() -> None:
    hour = 3600.0
    assert batch_limit(50, QUICK, 200, 4, hour) == 50
    assert batch_limit(50, ALONE, 200, 4, hour) == 1
    assert batch_limit(50, MEDIUM, 8, 4, hour) == 2, "8 over 4 free slots"
    assert batch_limit(50, MEDIUM, 200, 1, hour) == 15, "done in half of the timeout"
    assert batch_limit(50, LONG, 200, 1, 60.0) == 1, "one in any case"


@pytest.mark.parametrize(
    ("workers", "views", "logs"), [(1, 1, 1), (2, 2, 1), (4, 3, 1), (8, 6, 2), (100, 75, 25)]
)
def test_purges_keep_one_slot_in_four(workers: int, views: int, logs: int) -> None:
    assert (slots_for("view", workers), slots_for("log", workers)) == (views, logs)


class Item:
    """As little as a queue needs."""

    def __init__(self, name: str) -> None:
        self.id = name
        self.entry: tuple[int, str, Any] | None = None

    def __lt__(self, other: object) -> bool:
        return False


def test_the_lane_is_next_whose_head_came_first() -> None:
    queues: Queues[Item] = Queues()
    quick, slow = Lane("view", QUICK, None, False), Lane("view", LONG, None, False)
    items = {name: Item(name) for name in "abc"}
    queues.push(items["a"], slow, 1)
    queues.push(items["b"], quick, 2)
    queues.push(items["c"], quick, 3)
    assert queues.first(lambda lane: True) == slow
    assert queues.first(lambda lane: lane == quick) == quick
    assert queues.first(lambda lane: False) is None
    assert (len(queues), queues.waiting(quick), queues.waiting(slow)) == (3, 2, 1)
    queues.remove(items["b"], quick)
    assert queues.pop(quick) is items["c"] and len(queues) == 1
