"""The core, rule by rule: what it asks for when it is told something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.core import Core
from dbt_mview.serve.times import MINUTE, SECOND, Hold, next_cron
from dbt_mview.serve.unit import NEVER
from tests.sim.large import measure

EPOCH = 1_764_201_600 * SECOND
A = TypeVar("A")


class Service:
    """One node, whose state is a dict; time goes where a test says."""

    def __init__(
        self,
        *models: m.Model,
        settings: m.Settings | None = None,
        nodes: Iterable[str] = ("a",),
        node: str = "a",
    ) -> None:
        self.core = Core(node, "1", settings or m.Settings())
        self.now = 0
        self.version = 0
        self.rows: dict[str, m.Row] = {}
        self.models = {model.id: model for model in models}
        self.nodes = tuple(nodes)
        self.log: list[m.Action] = []

    def put(self, name: str, due: int | None = 0, **more: Any) -> None:
        """A row that is due so many microseconds after the begin."""
        self.version += 1
        next_time = None if due is None else EPOCH + due
        self.rows[name] = m.Row(name, self.version, next_time, **{"took": 1.0, **more})

    def begin(self) -> Service:
        """The first steps, to the first fetch."""
        self.step(m.Project(self.models), self.beats())
        return self

    def beats(self) -> m.Beats:
        return m.Beats(self.now, dict.fromkeys(self.nodes, self.now))

    def clock(self) -> m.Clock:
        return m.Clock(EPOCH + self.now, self.now)

    def step(self, *events: m.Event) -> list[m.Action]:
        """A step; fetches are answered at once."""
        found = self.core.step(self.now, events)
        for action in list(found):
            if isinstance(action, m.Fetch):
                rows = list(self.rows.values())
                found += self.step(m.Fetched(action.number, rows, True, clock=self.clock()))
        self.log += [one for one in found if one not in self.log]
        return found

    def at(self, now: int) -> list[m.Action]:
        """Steps by the core's own wakes to a time."""
        found: list[m.Action] = []
        while self.core.wake() <= now:
            self.now = max(self.now, self.core.wake())
            found += self.step()
        self.now = now
        return found + self.step()

    def end(self, start: m.Start, how: m.How = "done") -> list[m.Action]:
        """A run ends; what state then says of its units is given, or as it was."""
        found = self.step(m.Returned(start.run, how))
        told = tuple(self.rows[name] for name in start.ids if name in self.rows)
        return found + self.step(m.Settled(start.run, told, self.clock()))

    def succeed(self, start: m.Start, due: int = 60 * MINUTE) -> list[m.Action]:
        """A run ends, all of it with success."""
        for name in start.ids:
            self.put(name, due, ended=EPOCH + self.now)
        return self.end(start)


def only(actions: list[m.Action], kind: type[A]) -> list[A]:
    """The actions of a kind."""
    return [one for one in actions if isinstance(one, kind)]


def started(actions: list[m.Action]) -> list[tuple[str, ...]]:
    """What was started."""
    return [one.ids for one in only(actions, m.Start)]


def test_nothing_begins_before_ring_and_project_are_known() -> None:
    service = Service(m.Model("v"))
    assert service.step(service.beats()) == [m.FindRuns("a")], "what it left before it started"
    assert service.core.wake() == NEVER
    service = Service(m.Model("v"))
    assert service.step(m.Project(service.models)) == [] and service.core.wake() == NEVER


def test_a_node_starts_nothing_until_the_others_know_that_it_takes_work() -> None:
    """It reads state meanwhile, which is what they wait for."""
    service = Service(m.Model("v"))
    service.put("v")
    starting = replace(service.beats(), starting=frozenset({"a"}))
    service.step(m.Project(service.models), starting)
    service.at(10 * SECOND)
    assert only(service.log, m.Fetch) and not started(service.log)
    assert service.core.counts()["queued"] == 1
    assert started(service.step(service.beats())) == [("v",)]


def test_a_node_that_stalled_starts_nothing_until_the_others_have_heard_of_it() -> None:
    """They may have called it lost, and start what it owned."""
    nodes = ("a", "b")
    ring = Service(nodes=nodes).begin().core.ring
    assert ring is not None
    mine = next(name for name in map(str, range(40)) if ring.owner(name) == "a")
    service = Service(m.Model(mine), nodes=nodes)
    service.put(mine, MINUTE)
    service.begin()
    service.at(59 * SECOND)
    service.now = 2 * MINUTE
    assert not started(service.step(m.Stalled(), service.beats()))
    assert not started(service.at(2 * MINUTE + 4 * SECOND))
    service.now += SECOND
    assert started(service.step(service.beats())) == [(mine,)]


def test_nodes_that_start_together_share_the_units_from_the_first() -> None:
    """What each of them hears first is that the others start still."""
    nodes = ("a", "b", "c")
    services = {name: Service(m.Model("v"), node=name, nodes=nodes) for name in nodes}
    for number, (name, one) in enumerate(services.items()):
        one.put("v")
        one.step(m.Project(one.models), replace(one.beats(), starting=frozenset(nodes)))
        one.now = 10 * SECOND
        one.step(replace(one.beats(), starting=frozenset(nodes[number + 1 :])))
        one.at(14 * SECOND)
        assert not started(one.log), name
    for one in services.values():
        one.now = 15 * SECOND
        one.step(one.beats())
        one.at(16 * SECOND)
    (owner,) = [name for name, one in services.items() if started(one.log)]
    assert services[owner].core.owner("v") == owner


def test_a_node_that_starts_recovers_its_own_runs_alone() -> None:
    service = Service(m.Model("v"), nodes=("a", "b"))
    beats = replace(service.beats(), starting=frozenset({"a", "b"}))
    assert service.step(beats) == [m.FindRuns("a")]
    (settle,) = service.step(m.Orphans("a", (m.Orphan("a/0/1", ("v",)),)))
    assert isinstance(settle, m.Settle) and settle.is_recovery
    told = replace(beats, starting=frozenset({"b"}))
    assert service.step(told) == [], "b may not have heard yet that it takes work"
    service.now += 5 * SECOND
    assert service.step(told) == [m.FindRuns("b")]


def test_a_unit_starts_when_it_is_due_and_not_a_microsecond_earlier() -> None:
    service = Service(m.Model("v"))
    service.put("v", 10 * SECOND)
    service.begin()
    assert service.core.wake() == 10 * SECOND
    service.now = 10 * SECOND - 1
    assert not started(service.step())
    service.now += 1
    assert started(service.step()) == [("v",)]
    assert service.core.counts() == {"idle": 0, "queued": 0, "waiting": 0, "running": 1}


def test_beats_that_tell_nothing_new_change_nothing() -> None:
    """The simulation leaves them out."""
    service = Service(m.Model("v"), nodes=("a", "b"))
    service.put("v", MINUTE)
    service.begin()
    service.at(20 * SECOND)
    wake = service.core.wake()
    service.step(m.Orphans("a", ()))
    assert service.step(service.beats()) == [] and service.core.wake() == wake


def test_state_is_read_each_30_seconds_and_when_it_is_dirty() -> None:
    service = Service(m.Model("v")).begin()
    service.at(95 * SECOND)
    assert [one.is_whole for one in only(service.log, m.Fetch)] == [True, False, False, False]
    service.step(m.Dirty(), m.Dirty())
    assert len(only(service.at(97 * SECOND), m.Fetch)) == 0, "both were one, and at once"
    assert len(only(service.log, m.Fetch)) == 5


def test_a_forced_fetch_that_fails_comes_again_after_1_s_doubling() -> None:
    core = Core("a", "1", m.Settings())
    (*_, fetch) = core.step(0, [m.Project({}), m.Beats(0, {"a": 0})])
    times = []
    for _ in range(8):
        assert isinstance(fetch, m.Fetch) and fetch.is_whole
        now = core.fetches.asked
        assert core.step(now, [m.FetchFailed(fetch.number)]) == []
        times.append((core.wake() - now) // SECOND)
        (fetch,) = core.step(core.wake())
    assert times == [1, 2, 4, 8, 16, 30, 30, 30]


def test_a_fetch_that_was_read_before_an_end_is_no_news() -> None:
    service = Service(m.Model("v"))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    old = service.rows["v"]
    service.now = 31 * SECOND
    (fetch,) = only(service.core.step(service.now), m.Fetch)
    service.succeed(start)
    late = service.core.step(service.now, [m.Fetched(fetch.number, [old], True)])
    assert not started(late) and service.core.counts()["idle"] == 1


def test_a_fetch_that_lacks_a_row_and_was_read_before_an_end_is_no_news() -> None:
    """A row that was gone for a moment, and is there again when its run ends."""
    service = Service(m.Model("v"))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    old = service.rows["v"]

    def fetched(*rows: m.Row) -> list[m.Action]:
        (fetch,) = only(service.core.step(service.now, [m.Set(m.Settings())]), m.Fetch)
        return service.core.step(service.now, [m.Fetched(fetch.number, list(rows), True)])

    service.now += 2 * SECOND
    fetched()
    service.now += 2 * SECOND
    (fetch,) = only(service.core.step(service.now, [m.Set(m.Settings())]), m.Fetch)
    service.succeed(start)
    service.core.step(service.now, [m.Fetched(fetch.number, [], True)])
    service.now += 2 * SECOND
    assert not started(fetched(old)), "it was read before the end as well"
    service.now += 2 * SECOND
    fetched()
    assert service.core.counts()["idle"] == 0, "it is gone"


def test_first_come_first_served_with_5_minutes_for_a_priority() -> None:
    models = [m.Model(name, priority=2 if name == "w" else 1) for name in ("u", "v", "w")]
    service = Service(*models, settings=m.Settings(workers=1, batch_size=1))
    service.put("u")
    service.put("v", MINUTE)
    service.put("w", 5 * MINUTE)
    (start,) = only(service.begin().log, m.Start)
    service.at(5 * MINUTE)
    (second,) = only(service.succeed(start), m.Start)
    assert second.ids == ("w",), "4 minutes later, but a priority before"
    assert started(service.succeed(second)) == [("v",)]


def test_quick_units_are_one_batch_and_new_ones_alone() -> None:
    service = Service(*map(m.Model, "abcd"))
    for name, took in zip("abcd", (1.0, 2.0, None, 50.0), strict=True):
        service.put(name, took=took)
    service.begin()
    service.core.step(service.now, [m.Set(m.Settings(workers=4))])
    assert sorted(started(service.log + service.step())) == [("a", "b"), ("c",)]


def test_purges_and_refreshes_leave_each_other_slots() -> None:
    models = [m.Model(f"v{n}") for n in range(6)] + [m.Model(f"l{n}", "log") for n in range(6)]
    service = Service(*models, settings=m.Settings(workers=4, batch_size=1))
    for model in models:
        service.put(model.id)
    kinds = [one.kind for one in only(service.begin().log, m.Start)]
    assert sorted(kinds) == ["log", "view", "view", "view"]


def test_a_pool_bounds_its_units() -> None:
    models = [m.Model(f"v{n}", pool="p") for n in range(5)]
    settings = m.Settings(workers=8, batch_size=1, pools={"p": 2})
    service = Service(*models, settings=settings)
    for model in models:
        service.put(model.id)
    first = only(service.begin().log, m.Start)
    assert len(first) == 2
    assert len(started(service.succeed(first[0]))) == 1


def test_a_pool_of_fewer_slots_than_nodes_is_one_nodes() -> None:
    settings = m.Settings(pools={"p": 2})
    nodes = ("a", "b", "c")
    owners = set()
    for node in nodes:
        core = Core(node, "1", settings)
        core.step(0, [m.Project({}), m.Beats(0, dict.fromkeys(nodes, 0))])
        mine = [n for n in range(50) if core.share.is_mine(f"v{n}", m.Model(f"v{n}", pool="p"))]
        assert len(mine) in (0, 50)
        owners.update([node] if mine else [])
    assert len(owners) == 1


def test_a_child_waits_for_its_parent_at_most_15_minutes() -> None:
    service = Service(m.Model("p"), m.Model("c", parents=("p",)), settings=m.Settings(batch_size=1))
    service.put("p", took=300.0)
    service.put("c")
    service.begin()
    assert started(service.log) == [("p",)] and service.core.counts()["waiting"] == 1
    assert not started(service.at(15 * MINUTE - 1))
    assert started(service.at(15 * MINUTE)) == [("c",)]


def test_a_child_goes_on_when_its_parent_has_succeeded_elsewhere() -> None:
    nodes = ("a", "b")
    names = [f"v{n}" for n in range(40)]
    ring = Service(nodes=nodes).begin().core.ring
    assert ring is not None
    parent = next(name for name in names if ring.owner(name) == "b")
    child = next(name for name in names if ring.owner(name) == "a")
    service = Service(m.Model(parent), m.Model(child, parents=(parent,)), nodes=nodes)
    service.put(parent)
    service.put(child)
    service.begin()
    assert not started(service.log) and service.core.counts()["waiting"] == 1
    service.put(parent, 60 * MINUTE)
    service.now = 5 * SECOND
    assert started(service.step(m.Dirty())) == [(child,)]


def test_a_child_goes_on_when_its_parent_that_runs_here_yet_has_succeeded_elsewhere() -> None:
    """The parent is another node's since its run began, and others of that run take long."""
    names = [f"v{n}" for n in range(40)]
    ring = Service(nodes=("a", "b")).begin().core.ring
    assert ring is not None
    parent = next(name for name in names if ring.owner(name) == "b")
    child = next(name for name in names if ring.owner(name) == "a")
    service = Service(m.Model(parent), m.Model(child, parents=(parent,)))
    service.put(parent)
    service.put(child, 20 * SECOND)
    assert started(service.begin().log) == [(parent,)]
    service.nodes = ("a", "b")
    service.step(service.beats())
    assert not started(service.at(25 * SECOND))
    service.put(parent, 60 * MINUTE, ended=EPOCH + 22 * SECOND)
    assert started(service.step(m.Dirty())) == [(child,)]


def test_a_child_goes_on_though_its_parent_is_due_again() -> None:
    """The parent's runs are longer than its interval, so that it always is."""
    service = Service(m.Model("p"), m.Model("c", parents=("p",)), settings=m.Settings(batch_size=1))
    service.put("p", took=300.0)
    service.put("c")
    (start,) = only(service.begin().log, m.Start)
    assert start.ids == ("p",) and service.core.counts()["waiting"] == 1
    service.now = 20 * SECOND
    assert ("c",) in started(service.succeed(start, due=10 * SECOND))


@pytest.mark.parametrize("more", [{"paused_time": EPOCH}, {"failures": 16}])
def test_a_child_does_not_wait_for_what_is_paused_or_broken(more: dict[str, Any]) -> None:
    service = Service(m.Model("p"), m.Model("c", parents=("p",)))
    service.put("p", **more)
    service.put("c")
    assert started(service.begin().log) == [("c",)]


def test_a_chain_of_one_class_is_one_batch() -> None:
    """dbt runs parents first."""
    models = [m.Model("a"), m.Model("b", parents=("a",)), m.Model("c", parents=("b", "a"))]
    service = Service(*models)
    for model in models:
        service.put(model.id)
    assert started(service.begin().log) == [("a", "b", "c")]


def test_a_child_that_is_due_no_more_is_not_in_the_batch_of_its_parent() -> None:
    """The engine's clock went back while it waited."""
    models = [m.Model("x"), m.Model("p"), m.Model("c", parents=("p",))]
    service = Service(*models)
    for name, due in (("x", 0), ("p", 10), ("c", 50)):
        service.put(name, due * SECOND)
    (start,) = only(service.begin().log, m.Start)
    assert start.ids == ("x",)
    service.step(m.Memory(True))
    service.at(55 * SECOND)
    assert service.core.counts() == {"idle": 0, "queued": 1, "waiting": 1, "running": 1}
    service.put("x", 60 * MINUTE, ended=EPOCH + service.now)
    went_back = m.Clock(EPOCH + 20 * SECOND, service.now)
    settled = m.Settled(start.run, (service.rows["x"],), went_back)
    found = service.core.step(service.now, [m.Returned(start.run, "done"), settled])
    found += service.core.step(service.now, [m.Memory(False)])
    assert started(found) == [("p",)]


def test_a_group_is_one_unit() -> None:
    service = Service(m.Model("x", group="g"), m.Model("y", group="g"))
    service.put("x", 10 * SECOND)
    service.put("y", MINUTE)
    service.begin()
    assert started(service.at(10 * SECOND)) == [("x", "y")]
    assert set(service.core.items) == {"group:g"}


def test_a_failure_is_tried_again_when_state_says_and_a_little_later() -> None:
    service = Service(m.Model("v"))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    service.put("v", failures=1, retry_time=EPOCH + 5 * SECOND)
    service.end(start)
    assert 5 * SECOND <= service.core.wake() < 5.5 * SECOND


def test_broken_and_paused_ones_do_not_start_and_a_reset_one_does() -> None:
    service = Service(m.Model("v"), m.Model("w"))
    service.put("v", failures=16)
    service.put("w", paused_time=EPOCH + 7 * SECOND)
    assert not started(service.begin().log)
    service.put("v")
    service.put("w")
    service.now = 2 * SECOND
    assert started(service.step(m.Dirty())) == [("v", "w")]


def test_a_success_that_moves_nothing_rests_and_doubles() -> None:
    service = Service(m.Model("v"))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    begun = []
    for _ in range(4):
        actions = service.succeed(start, due=-MINUTE)
        assert not started(actions)
        while not (found := only(service.at(service.core.wake()), m.Start)):
            pass
        (start,) = found
        begun.append(service.now // SECOND)
    assert begun == [1, 3, 7, 15]


def test_a_lock_of_somebody_else_is_waited_for() -> None:
    service = Service(m.Model("v"))
    service.put("v", lease_until=EPOCH + MINUTE)
    assert not started(service.begin().log)
    assert not started(service.at(MINUTE - 1)) and started(service.at(MINUTE)) == [("v",)]


def test_a_timeout_cancels_charges_its_holder_and_frees_the_slot_at_the_end() -> None:
    service = Service(m.Model("v", timeout=MINUTE), m.Model("w"), settings=m.Settings(workers=1))
    service.put("v", took=300.0)
    service.put("w", SECOND)
    (start,) = only(service.begin().log, m.Start)
    assert only(service.at(2 * MINUTE), m.Cancel) == [m.Cancel(start.run, "timeout")]
    actions = service.step(m.Returned(start.run, "died"))
    assert only(actions, m.Settle) == [
        m.Settle(start.run, ("v",), True, "holders", "timeout"),
    ]
    assert started(actions) == [("w",)], "a cancelled process opens no breaker"


def test_a_view_with_a_timeout_of_its_own_is_in_no_batch_with_others() -> None:
    """Else the longest of the batch would hold for it."""
    service = Service(m.Model("v", timeout=MINUTE), m.Model("w"), m.Model("x"))
    for name in service.models:
        service.put(name)
    first, second = only(service.begin().log, m.Start)
    assert {first.ids, second.ids} == {("v",), ("w", "x")}
    alone = first.run if first.ids == ("v",) else second.run
    assert only(service.at(2 * MINUTE), m.Cancel) == [m.Cancel(alone, "timeout")]


def test_who_asks_for_a_cancel_has_that_view_charged_alone() -> None:
    """What the run has in hand is begun again at once, and what was named is not."""
    service = Service(m.Model("v"), m.Model("w"), m.Model("x"))
    for name in service.models:
        service.put(name)
    (start,) = only(service.begin().log, m.Start)
    assert start.ids == ("v", "w", "x")
    for name in ("w", "x", "w"):
        found = service.step(m.CancelNow(name))
        assert not only(found, m.Refused)
    assert len(only(service.log, m.Cancel)) == 1
    (settle,) = only(service.step(m.Returned(start.run, "died")), m.Settle)
    assert (settle.ids, settle.charge, settle.charged) == (start.ids, "all", ("w", "x"))
    for name in settle.charged:
        service.put(name, failures=1, retry_time=EPOCH + MINUTE)
    told = tuple(service.rows.values())
    assert started(service.step(m.Settled(start.run, told, service.clock()))) == [("v",)]
    found = service.step(m.Orphans("b", (m.Orphan("b/1/1", ("v", "w"), "all", "", ("w",)),)))
    assert [one.charged for one in only(found, m.Settle)] == [("w",)]


def test_new_timeouts_and_workers_are_live() -> None:
    service = Service(m.Model("v"), m.Model("w"), settings=m.Settings(workers=1, batch_size=1))
    service.put("v")
    service.put("w")
    service.begin()
    assert len(started(service.log)) == 1
    found = service.step(m.Set(m.Settings(workers=2, batch_size=1, timeout=MINUTE)))
    assert len(started(found)) == 1
    assert len(only(service.at(MINUTE), m.Cancel)) == 2


def test_an_error_of_the_run_opens_the_breaker_and_charges_nobody() -> None:
    service = Service(m.Model("v"), m.Model("w"))
    service.put("v")
    service.put("w", SECOND)
    (start,) = only(service.begin().log, m.Start)
    assert only(service.end(start, "error"), m.Settle)[0].charge == "nobody"
    probes = []
    for _ in range(6):
        while not only(service.at(service.core.wake()), m.Probe):
            pass
        probes.append(service.now // SECOND)
        service.step(m.Probed(False))
    assert probes == [5, 15, 35, 75, 135, 195]
    assert started(service.step(m.Probed(False))) == []
    assert started(service.step(m.Probed(True))) == [("v", "w")]


def test_the_third_process_that_dies_under_a_view_is_charged_to_it() -> None:
    service = Service(m.Model("v"), m.Model("w"))
    service.put("v")
    service.put("w")
    (start,) = only(service.begin().log, m.Start)
    charges = []
    while len(charges) < 4:
        charges += [one.charge for one in only(service.end(start, "died"), m.Settle)]
        while not (found := only(service.step(m.Probed(True)), m.Start)):
            service.at(service.core.wake())
        for other in found:
            if other.ids == ("w",):
                service.succeed(other)
        (start,) = [one for one in found if one.ids == ("v",)] or [start]
        assert start.ids == ("v",), "it runs alone"
    assert charges == ["nobody", "nobody", "all", "nobody"]


def test_a_good_probe_is_a_contact() -> None:
    service = Service(m.Model("v"))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    (settle,) = only(service.step(m.Returned(start.run, "error")), m.Settle)
    service.step(m.Settled(start.run, None))
    assert only(service.step(m.Probed(False)), m.Settle) == []
    assert only(service.step(m.Probed(True)), m.Settle) == [settle]


def test_what_state_did_not_take_is_asked_again_at_the_next_contact() -> None:
    service = Service(m.Model("v", timeout=MINUTE))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    service.at(MINUTE)
    (settle,) = only(service.step(m.Returned(start.run, "died")), m.Settle)
    assert service.step(m.Settled(start.run, None)) == []
    assert service.core.counts()["running"] == 1, "nobody knows what became of it"
    service.now += 2 * SECOND
    assert only(service.step(m.Dirty()), m.Settle) == [settle]
    service.step(m.Settled(start.run, None))
    service.now += 10 * SECOND
    assert only(service.step(), m.Settle) == [settle], "or after 5 s, doubling"


def test_runs_of_a_node_that_is_gone_are_recovered_by_one_of_the_others() -> None:
    service = Service(m.Model("v"), nodes=("a", "b"))
    service.begin()
    for now in range(5, 90, 5):
        service.now = now * SECOND
        found = service.step(m.Beats(service.now, {"a": service.now, "b": 0}))
    assert only(found, m.FindRuns)[-1] == m.FindRuns("b")
    runs = (m.Orphan("b/1/1", ("v",), "holders", "timeout"), m.Orphan("b/1/2", ("w",)))
    assert only(service.step(m.Orphans("b", runs)), m.Settle) == [
        m.Settle("b/1/1", ("v",), True, "holders", "timeout"),
        m.Settle("b/1/2", ("w",), True, "nobody", "node b is gone"),
    ]


def test_cron_is_planned_by_its_owner_and_named_where_it_cannot_be() -> None:
    service = Service(m.Model("v"), m.Model("w"))
    service.put("v", None, cron=m.Cron("0 3 * * *", "UTC", EPOCH))
    service.put("w", None, cron=m.Cron("0 0 30 2 *", "UTC"))
    (plan,) = only(service.begin().log, m.Plan)
    assert plan == m.Plan({"v": next_cron("0 3 * * *", "UTC", EPOCH)}, {"v": EPOCH})
    assert "Bad day" in service.core.problems["w"]
    assert not only(service.at(MINUTE), m.Plan), "it is being written"
    service.step(m.Planned(("v",)))
    assert only(service.at(2 * MINUTE), m.Plan) == [plan], "and was not"


def test_a_view_that_listens_is_due_once_a_source_has_changed() -> None:
    service = Service(m.Model("v"))
    service.put("v", at_most_every=20 * SECOND)
    service.begin()
    polls = only(service.at(20 * SECOND), m.PollSources)
    assert not started(service.log) and len(polls) == 4, "a quarter of its pause"
    assert started(service.step(m.SourcesChanged(("v",)))) == [("v",)]
    (start,) = only(service.log, m.Start)
    service.put("v", at_most_every=20 * SECOND, ended=EPOCH + service.now)
    assert not started(service.end(start)), "a skip that moved nothing is not due again"


def test_a_hold_keeps_planned_starts_back_and_manual_ones_not() -> None:
    fire = next_cron("0 3 * * *", "UTC", EPOCH) - EPOCH
    hold = Hold("0 3 * * *", "UTC", 10 * MINUTE)
    service = Service(m.Model("v"), settings=m.Settings(holds=(hold,)))
    service.put("v", fire + MINUTE)
    service.begin()
    service.now = fire
    service.step(m.Dirty())
    assert not started(service.at(fire + 10 * MINUTE - 1))
    assert started(service.at(fire + 10 * MINUTE)) == [("v",)]
    service = Service(m.Model("v"), settings=m.Settings(holds=(hold,)))
    service.put("v", fire + MINUTE)
    service.begin()
    service.now = fire
    (start,) = only(service.step(m.RunNow("v")), m.Start)
    assert start.is_manual


def test_a_hold_keeps_a_child_out_of_the_batch_of_its_parent() -> None:
    fire = next_cron("0 3 * * *", "UTC", EPOCH) - EPOCH
    hold = Hold("0 3 * * *", "UTC", 10 * MINUTE, frozenset({"child"}))
    models = m.Model("busy"), m.Model("parent"), m.Model("child", parents=("parent",))
    service = Service(*models, settings=m.Settings(workers=1, holds=(hold,)))
    for name, before in (("busy", 3), ("parent", 2), ("child", 1)):
        service.put(name, fire - before * MINUTE)
    service.begin()
    (start,) = only(service.at(fire - SECOND), m.Start)
    assert service.core.counts()["waiting"] == 1, "the child, which is due before the hold"
    service.at(fire + MINUTE)
    (parent,) = only(service.succeed(start, fire + 60 * MINUTE), m.Start)
    assert parent.ids == ("parent",)
    assert not started(service.succeed(parent, fire + 60 * MINUTE))
    assert started(service.at(fire + 10 * MINUTE)) == [("child",)]


def test_what_was_asked_for_and_paused_is_planned_when_it_comes_back() -> None:
    """What it had asked for was the turn before: it waits behind others, and is not alone."""
    service = Service(m.Model("u"), m.Model("v"), m.Model("w"), settings=m.Settings(workers=1))
    service.put("u")
    service.put("v", 60 * MINUTE)
    service.put("w", 60 * MINUTE)
    (start,) = only(service.begin().log, m.Start)
    assert not started(service.step(m.RunNow("v")))
    for paused_time in (EPOCH, None):
        service.put("v", 60 * MINUTE, paused_time=paused_time)
        service.step(m.Dirty())
        service.at(service.now + 10 * SECOND)
    service.succeed(start, 120 * MINUTE)
    (planned,) = only(service.at(60 * MINUTE), m.Start)
    assert planned.ids == ("v", "w") and not planned.is_manual


def test_requests_are_refused_with_a_reason() -> None:
    service = Service(m.Model("v"), m.Model("w"), m.Model("x"))
    service.put("v")
    service.put("w", paused_time=EPOCH + 7 * SECOND)
    service.put("x", 60 * MINUTE, failures=16)
    service.begin()
    assert service.step(m.RunNow("u")) == [m.Refused("u", "this node owns no such view")]
    assert service.step(m.RunNow("v")) == [m.Refused("v", "it is running")]
    since = "it is paused since 2025-11-27 00:00:07 UTC: resume it first"
    assert service.step(m.RunNow("w")) == [m.Refused("w", since)]
    assert started(service.step(m.RunNow("x"))) == [("x",)], "a success ends BROKEN"
    assert service.step(m.CancelNow("w")) == [m.Refused("w", "it does not run on this node")]
    assert [one.reason for one in only(service.step(m.CancelNow("v")), m.Cancel)] == [
        "cancelled by request"
    ]


def test_a_group_is_paused_since_its_first_member_was() -> None:
    models = [m.Model(name, group="g") for name in ("v", "w", "x")]
    service = Service(*models)
    for name, paused_time in zip("vwx", (None, EPOCH + SECOND, EPOCH + 5 * SECOND), strict=True):
        service.put(name, paused_time=paused_time)
    service.begin()
    since = "it is paused since 2025-11-27 00:00:01 UTC: resume it first"
    assert service.step(m.RunNow("v")) == [m.Refused("v", since)]
    for name in "wx":
        service.put(name)
    service.step(m.Dirty())
    assert started(service.at(service.now + 10 * SECOND)) == [("v", "w", "x")]
    assert not service.core.known.paused, "nothing is kept of what was"


@pytest.mark.parametrize("event", [m.Memory(True), m.ProjectFailed()])
def test_nothing_starts_without_memory_or_a_project_that_parses(event: m.Event) -> None:
    service = Service(m.Model("v"))
    service.put("v", SECOND)
    service.begin()
    service.step(event)
    assert not started(service.at(MINUTE)) and service.core.counts()["queued"] == 1
    back: m.Event = m.Memory(False) if isinstance(event, m.Memory) else m.Project(service.models)
    assert started(service.step(back)) == [("v",)]


def test_a_stop_leaves_waits_cancels_and_ends() -> None:
    settings = m.Settings(workers=1, batch_size=1, drain=MINUTE)
    service = Service(m.Model("v"), m.Model("w"), settings=settings)
    service.put("v")
    service.put("w")
    (start,) = only(service.begin().log, m.Start)
    assert service.step(m.Stop()) == [m.Leave()]
    assert service.at(MINUTE - 1) == []
    assert service.at(MINUTE) == [m.Cancel(start.run, "the node stops")]
    (settle,) = service.step(m.Returned(start.run, "died"))
    assert isinstance(settle, m.Settle) and settle.is_recovery and settle.charge == "nobody"
    assert service.step(m.Settled(start.run, (service.rows["v"],))) == [m.Stopped()]
    assert service.core.wake() == NEVER


def test_a_second_stop_cancels_now_and_an_unreachable_state_keeps_nobody() -> None:
    service = Service(m.Model("v"))
    service.put("v")
    (start,) = only(service.begin().log, m.Start)
    assert service.step(m.Stop(), m.Stop()) == [
        m.Leave(),
        m.Cancel(start.run, "the node stops"),
    ]
    service.step(m.Returned(start.run, "died"))
    assert service.step(m.Settled(start.run, None)) == [m.Stopped()]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"workers": 0}, "workers is 0: give 1 to 1000"),
        ({"broken_after": 1001}, "broken_after is 1001: give 1 to 1000"),
        ({"virtual_nodes": 201}, "virtual_nodes is 201: give 1 to 200"),
        ({"fetch_interval": 1}, "fetch_interval is 1: give 1000000"),
        ({"pools": {"p": 0}}, "pool 'p' is 0: give 1"),
    ],
)
def test_settings_out_of_range(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        replace(m.Settings(), **change)


def test_many_units() -> None:
    """A fiftieth of the million that docs/scheduler.md has the figures of."""
    found = measure(20_000)
    assert found["take all due"] < 5 and found["fetch all, one node"] < 5
    assert found["fetch, unchanged"] < 0.001
    assert found["bytes a unit"] <= 400
