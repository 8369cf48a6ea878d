"""Faults that a scheduler could have. Each is put into it once, and some invariant or test sees it.

A patch is (class, name of a method, what it becomes). docs/scheduler-internals.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.agenda import Agenda
from dbt_mview.serve.core import Core
from dbt_mview.serve.fetches import Fetches
from dbt_mview.serve.judging import Judge, Run
from dbt_mview.serve.known import Known
from dbt_mview.serve.reading import Reading
from dbt_mview.serve.ring import Membership
from dbt_mview.serve.running import Running
from dbt_mview.serve.share import Share
from dbt_mview.serve.unit import IDLE, NEVER, RUNNING, Item
from tests.sim.world import Record, World

Patch = tuple[type, str, Callable[..., Any]]


def take_due(self: Agenda) -> None:
    while (due := self.dues.key()) is not None and due < self._moment.engine:
        item = self.dues.pop()
        if self.may_start(item):
            self.enqueue(item)


def update(self: Reading, item: Item, row: m.Row) -> None:
    if item.state == RUNNING:
        self._known.copy(item, row)
        item.due = row.next_time
        if item.entry is None:
            self._agenda.put(item)
    else:
        UPDATE(self, item, row)


def lose(self: Reading, unit: str) -> None:
    item = self._known.items.get(unit)
    if item is not None:
        if item.state != RUNNING:
            self._agenda.take_out(item)
        self.forget(item)


def judge(self: Judge, run: Run, item: Item, row: m.Row | None) -> None:
    # What is forgotten cannot be judged.
    if self._known.items.get(item.id) is item:
        JUDGE(self, run, item, row)


def fetch_failed(self: Fetches, event: m.FetchFailed) -> None:
    self.pending = None
    self.asked = -NEVER


def wake(self: Core) -> int:
    dues, self.agenda.dues = self.agenda.dues, type(self.agenda.dues)()
    try:
        return WAKE(self)
    finally:
        self.agenda.dues = dues


def settle_charging(how: m.How) -> Callable[[Running, m.Settle], None]:
    def settle(self: Running, settle: m.Settle) -> None:
        run = self.runs.get(settle.run)
        if run is not None and run.how == how and not run.reason:
            settle = replace(settle, charge="all", is_recovery=True)
        SETTLE(self, settle)

    return settle


def is_mine(self: Share, unit: str, model: m.Model) -> bool:
    return self.ring is not None and self.ring.owner(unit + self.node) == self.node


def heard(self: Membership, now: int, clock: int, beats: Any, starting: Any = ()) -> Any:
    return HEARD(self, now, now, beats, starting)


def heard_all(self: Membership, now: int, clock: int, beats: Any, starting: Any = ()) -> Any:
    return HEARD(self, now, clock, beats)


def cancel(self: Running, run: Run, reason: str, charge: m.Charge) -> None:
    CANCEL(self, run, reason, charge)
    self._slots._taken[run.lane.kind] -= 1


def returned(self: Running, event: m.Returned) -> None:
    run = self.runs.get(event.run)
    if run is not None and run.reason:
        self._slots._taken[run.lane.kind] += 1
    RETURNED(self, event)


def begin(self: Running, *args: Any) -> None:
    BEGIN(self, *args)
    actions = self._moment.actions
    start = actions[-1]
    assert isinstance(start, m.Start)
    if len(start.ids) > 1:
        actions[-1] = replace(start, ids=start.ids[:-1])


def copy_unpaused(self: Known, item: Item, row: m.Row) -> None:
    COPY(self, item, replace(row, paused_time=None))


def roll_forward(self: World, record: Record) -> None:
    record.published = -1
    ROLL_FORWARD(self, record)


def settled(self: Running, event: m.Settled) -> None:
    if event.rows is None and event.run in self.open:
        del self.open[event.run]
        run = self.runs.pop(event.run, None)
        for item in run.items if run else ():
            item.state = IDLE
            self._judge._agenda.put(item, 1)
    else:
        SETTLED(self, event)


UPDATE, WAKE, SETTLE, CANCEL = Reading._update, Core.wake, Running._settle, Running._cancel
RETURNED, BEGIN, COPY, SETTLED = (
    Running.has_returned, Running.begin, Known.copy, Running.has_settled
)  # fmt: skip
HEARD, JUDGE, ROLL_FORWARD = Membership.heard, Judge._judge, World.roll_forward

# By name: the patches, and what has to go wrong for it to matter (all that can, if empty).
FAULTS: dict[str, tuple[list[Patch], tuple[str, ...]]] = {
    "> at due": ([(Agenda, "take_due", take_due)], ()),
    "a stale row is applied": ([(Reading, "_is_old", lambda *_: False)], ("fetches_lag",)),
    "a running unit is reordered": ([(Reading, "_update", update)], ()),
    "a unit that vanishes while it runs is forgotten": (
        [(Reading, "_lose", lose), (Judge, "_judge", judge)],
        ("flap",),
    ),
    "a failed fetch is not timed": (
        [(Fetches, "has_failed", fetch_failed)],
        ("fetches_fail",),
    ),
    "a wake is lost": ([(Core, "wake", wake)], ()),
    "busy is charged": ([(Running, "_settle", settle_charging("done"))], ()),
    "the engine's failure is charged": (
        [(Running, "_settle", settle_charging("error"))],
        ("engine_gone",),
    ),
    "a node that stalled goes on": ([(Share, "stalled", lambda _: None)], ("node_stops",)),
    "every node hashes by itself": ([(Share, "is_mine", is_mine)], ()),
    "stale by its own clock": ([(Membership, "heard", heard)], ("node_dies",)),
    "a node that starts has its share": ([(Membership, "heard", heard_all)], ("node_dies",)),
    "the first one back takes all": (
        [(Membership, "is_out_of_touch", lambda *_: False)],
        ("database_gone",),
    ),
    "a slot is freed early": (
        [(Running, "_cancel", cancel), (Running, "has_returned", returned)],
        ("is_slow", "cancel"),
    ),
    "an early start loops": ([(Judge, "_rest", lambda *_: 0)], ()),
    "a child comes first": ([(Known, "has_pending_parent", lambda *_: False)], ()),
    "a group is split": ([(Running, "begin", begin)], ()),
    "what is paused starts": ([(Known, "copy", copy_unpaused)], ("pause",)),
    "the outbox is dropped": ([(Running, "has_settled", settled)], ("engine_gone",)),
    # Of dbt, which the world pretends.
    "who recovers a refresh leaves its plan": ([(World, "roll_forward", roll_forward)], ()),
    "runs of the dead are not looked for": (
        [(Share, "found", lambda *_: [])],
        ("node_dies",),
    ),
}

# Outside the core, where no simulation sees them: what test_sources.py and test_web.py say, fails.
# By name: module and class, which a simulation must not import; a name in it; what that becomes.
BESIDE: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "an OPTIMIZE wakes": ("dbt_mview.serve.sources", "_has_data", lambda _: True),
    "a token is not asked for": ("dbt_mview.serve.web:_Guard", "_has_token", lambda *_: True),
}


@contextmanager
def sown(fault: str) -> Iterator[None]:
    """The scheduler with a fault.

    Args:
        fault: one of `FAULTS` or `BESIDE`.
    """
    patches: list[tuple[Any, str, Callable[..., Any]]] = []
    if fault in BESIDE:
        place, name, becomes = BESIDE[fault]
        patches.append((resolve_name(place), name, becomes))
    else:
        patches += FAULTS[fault][0]
    was = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, becomes in patches:
        setattr(owner, name, becomes)
    try:
        yield
    finally:
        for owner, name, method in was:
            setattr(owner, name, method)
