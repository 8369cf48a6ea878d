"""Times of sides that take turns."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

Action = Callable[[], object]
Times = dict[str, list[float]]


def nothing() -> None:
    """What happens before a side whose sources do not change."""


def timed(action: Action) -> float:
    """How many seconds an action takes.

    Python collects its garbage before it and not meanwhile, as in timeit: after some runs of dbt in
    one process, whose garbage no process of one run has, that takes 0.2 s of every second or third.
    """
    gc.collect()
    gc.disable()
    try:
        started = time.perf_counter()
        action()
        return time.perf_counter() - started
    finally:
        gc.enable()


def above(times: list[float], base: list[float]) -> list[float]:
    """What is left of each time where the median of others, which do nothing, is taken off."""
    return [max(one - median(base), 0.0) for one in times]


def in_turn(
    sides: Mapping[str, Action],
    rounds: int,
    before: Action = nothing,
    *,
    each: bool = True,
    warm_up: int = 1,
) -> Times:
    """Time sides in turn. Another one begins each round, so that none always follows the change.

    Args:
        sides: what is timed, by name.
        rounds: how often each side is timed.
        before: what is done before a side and is not timed.
        each: whether it is done before each side; else once a round, for all of them.
        warm_up: how many rounds go before that are not counted.

    Returns:
        Seconds, by side.
    """
    times: Times = {name: [] for name in sides}
    names = list(sides)
    for turn in range(-warm_up, rounds):
        if not each:
            before()
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            if each:
                before()
            took = timed(sides[name])
            if turn >= 0:
                times[name].append(took)
    return times
