"""Faults that a scheduler could have. Each is put into the core once, and some invariant sees it.

A patch is (class, name of a method, what it becomes). docs/scheduler.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.core import IDLE, NEVER, RUNNING, Core, Item, Run
from dbt_mview.serve.ring import Membership

Patch = tuple[type, str, Callable[..., Any]]


def take_due(self: Core) -> None:
    while (due := self._dues.key()) is not None and due < self._engine:
        item = self._dues.pop()
        if self._may_start(item):
            self._enqueue(item)


def update(self: Core, item: Item, row: m.Row) -> None:
    if item.state == RUNNING:
        self._set(item, row)
        item.due = row.next_time
        if item.entry is None:
            self._put(item)
    else:
        UPDATE(self, item, row)


def lose(self: Core, unit: str) -> None:
    item = self.items.get(unit)
    if item is not None:
        if item.state != RUNNING:
            self._take_out(item)
        self._forget(item)


def judge(self: Core, run: Run, item: Item, row: m.Row | None) -> None:
    # What is forgotten cannot be judged.
    if self.items.get(item.id) is item:
        JUDGE(self, run, item, row)


def fetch_failed(self: Core, event: m.FetchFailed) -> None:
    self._fetching = None
    self._asked = -NEVER


def wake(self: Core) -> int:
    dues, self._dues = self._dues, type(self._dues)()
    try:
        return WAKE(self)
    finally:
        self._dues = dues


def settle_charging(how: m.How) -> Callable[[Core, m.Settle], None]:
    def settle(self: Core, settle: m.Settle) -> None:
        run = self._runs.get(settle.run)
        if run is not None and run.how == how and not run.reason:
            settle = replace(settle, charge="all", is_recovery=True)
        SETTLE(self, settle)

    return settle


def is_mine(self: Core, unit: str, model: m.Model) -> bool:
    return self.ring is not None and self.ring.owner(unit + self.node) == self.node


def heard(self: Membership, now: int, clock: int, beats: Any, starting: Any = ()) -> Any:
    return HEARD(self, now, now, beats, starting)


def heard_all(self: Membership, now: int, clock: int, beats: Any, starting: Any = ()) -> Any:
    return HEARD(self, now, clock, beats)


def cancel(self: Core, run: Run, reason: str, charge: m.Charge) -> None:
    CANCEL(self, run, reason, charge)
    self._slots[run.lane.kind] -= 1


def returned(self: Core, event: m.Returned) -> None:
    run = self._runs.get(event.run)
    if run is not None and run.reason:
        self._slots[run.lane.kind] += 1
    RETURNED(self, event)


def begin(self: Core, *args: Any) -> None:
    BEGIN(self, *args)
    start = self._out[-1]
    assert isinstance(start, m.Start)
    if len(start.ids) > 1:
        self._out[-1] = replace(start, ids=start.ids[:-1])


def set_unpaused(self: Core, item: Item, row: m.Row) -> None:
    SET(self, item, replace(row, is_paused=False))


def settled(self: Core, event: m.Settled) -> None:
    if event.rows is None and event.run in self._open:
        del self._open[event.run]
        run = self._runs.pop(event.run, None)
        for item in run.items if run else ():
            item.state = IDLE
            self._put(item, 1)
    else:
        SETTLED(self, event)


UPDATE, WAKE, SETTLE, CANCEL = Core._update, Core.wake, Core._settle, Core._cancel
RETURNED, BEGIN, SET, SETTLED = Core._returned, Core._begin, Core._set, Core._settled
HEARD, JUDGE = Membership.heard, Core._judge

# By name: the patches, and what has to go wrong for it to matter (all that can, if empty).
FAULTS: dict[str, tuple[list[Patch], tuple[str, ...]]] = {
    "> at due": ([(Core, "_take_due", take_due)], ()),
    "a stale row is applied": ([(Core, "_is_old", lambda *_: False)], ("fetches_lag",)),
    "a running unit is reordered": ([(Core, "_update", update)], ()),
    "a unit that vanishes while it runs is forgotten": (
        [(Core, "_lose", lose), (Core, "_judge", judge)],
        ("flap",),
    ),
    "a failed fetch is not timed": (
        [(Core, "_fetch_failed", fetch_failed)],
        ("fetches_fail",),
    ),
    "a wake is lost": ([(Core, "wake", wake)], ()),
    "busy is charged": ([(Core, "_settle", settle_charging("done"))], ()),
    "the engine's failure is charged": (
        [(Core, "_settle", settle_charging("error"))],
        ("engine_gone",),
    ),
    "every node hashes by itself": ([(Core, "_is_mine", is_mine)], ()),
    "stale by its own clock": ([(Membership, "heard", heard)], ("node_dies",)),
    "a node that starts has its share": ([(Membership, "heard", heard_all)], ("node_dies",)),
    "the first one back takes all": (
        [(Membership, "is_out_of_touch", lambda *_: False)],
        ("database_gone",),
    ),
    "a slot is freed early": (
        [(Core, "_cancel", cancel), (Core, "_returned", returned)],
        ("is_slow", "cancel"),
    ),
    "an early start loops": ([(Core, "_rest", lambda *_: 0)], ()),
    "a child comes first": ([(Core, "_has_pending_parent", lambda *_: False)], ()),
    "a group is split": ([(Core, "_begin", begin)], ()),
    "what is paused starts": ([(Core, "_set", set_unpaused)], ("pause",)),
    "the outbox is dropped": ([(Core, "_settled", settled)], ("engine_gone",)),
    "runs of the dead are not looked for": (
        [(Core, "_orphans", lambda *_: None)],
        ("node_dies",),
    ),
}


@contextmanager
def sown(fault: str) -> Iterator[None]:
    """The core with a fault.

    Args:
        fault: one of `FAULTS`.
    """
    patches, _ = FAULTS[fault]
    was = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, becomes in patches:
        setattr(owner, name, becomes)
    try:
        yield
    finally:
        for owner, name, method in was:
            setattr(owner, name, method)
