"""All that may happen to three nodes, one fault after the other, on two dozen views and three logs.

Each fault begins with nodes that have just started, and ends with SIGTERM to those that live: no
lock and no process is left, nothing was refreshed twice for a plan, and each view is its query.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.serve.project import BROKEN_AFTER, FRAGILE, NODES, SLOW, id_of, owner
from tests.serve.service import FREE, FRESH, LATE, PATIENCE, Node, Service, until

pytestmark = [pytest.mark.thrift, pytest.mark.nightly]
GONE = 60.0
ENGINE_GONE = 120.0
HELD = id_of(SLOW)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The project on its engine; no node runs."""
    running = Service(tmp_path_factory.mktemp("served"), is_long=True)
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def service(built: Service) -> Iterator[Service]:
    """Three nodes, whose end is part of each test."""
    built.set_pace(0)
    built.start()
    yield built
    built.end_well()


@pytest.mark.parametrize("whole", [False, True], ids=["the node alone", "with its workers"])
def test_kill(service: Service, whole: bool) -> None:
    """kill -9 in the middle of a refresh."""
    busy = service.longest()
    node, start = service.asleep(600)
    lock = service.locks()[HELD]
    killed = time.time()
    node.kill(whole=whole)
    until("a free lock", lambda: service.locks().get(HELD) != lock, FREE + busy)
    left, _ = service.without(node)
    mine = [id_ for id_ in service.views.every if owner(id_) == node.name]
    service.until_fresh(mine, killed)
    assert service.rings() == {left}
    late = {id_: service.lateness(killed)[id_] for id_ in mine if id_ != start.id}
    assert max(late.values()) < LATE + busy, late
    service.is_kept(killed, left)
    assert not any(row["failures"] for row in service.state().values()), "nobody is to blame"


def fenced(node: Node) -> int:
    """How often dbt was told that it has lost its lock: by its next statement, or in the middle."""
    printed = node.printed()
    return printed.count("lock lost") + printed.count("dbt_mview.fence")


@pytest.mark.parametrize("whole", [False, True], ids=["the node alone", "with its workers"])
def test_stall(service: Service, whole: bool) -> None:
    """A machine stops for a minute, and goes on where it was: it has lost its lock."""
    # Longer than its heirs take, whatever the machine.
    node, start = service.asleep(PATIENCE / 2)
    lock = service.locks()[HELD]
    told, stopped = fenced(node), time.time()
    (node.signal_all if whole else node.signal)(signal.SIGSTOP)
    left, others = service.without(node)
    until("a ring without it", lambda: {one.ring() for one in others} == {left})
    until("a free lock", lambda: service.locks().get(HELD) != lock)
    time.sleep(max(0.0, stopped + GONE - time.time()))
    (node.signal_all if whole else node.signal)(signal.SIGCONT)
    until("the ring of all", lambda: service.rings() == {NODES})
    until("the end of the run", lambda: service.end_of(start.run))
    until("a refresh by another", lambda: HELD in service.fresh(stopped))
    assert service.end_of(start.run)["outcomes"][HELD] not in ("success", "skip")
    assert fenced(node) > told


def test_postgres_is_gone(service: Service) -> None:
    """For a minute: nothing is late, the ring stays."""
    service.until_fresh(service.views.every, service.began)
    busy, since = service.longest(), time.time()
    service.postgres.kill()
    until("red nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {503})
    time.sleep(max(0.0, since + GONE - time.time()))
    quick = [id_ for id_, every in service.views.every.items() if every <= GONE]
    service.until_fresh(quick, since, busy + 1)
    service.postgres.start()
    until("green nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {200})
    late = service.lateness(since)
    assert max(late.values()) < 2 * busy, late
    assert not [one for node in service.living() for one in node.events("ring", since)]
    service.is_kept(since)


def test_the_engine_is_gone(service: Service) -> None:
    """For two minutes, from the middle of a refresh on: no view is charged."""
    service.until_fresh(service.views.every, service.began)
    busy, since = service.longest(), time.time()
    service.asleep(600)
    service.engine_dies()
    cut = service.begun()
    time.sleep(ENGINE_GONE)
    service.engine_rises()
    due, back = service.due(), time.time()
    assert len(due) > len(service.views.ids) / 2
    service.until_fresh(due, back, FRESH + 2 * busy)
    assert not any(row["failures"] for row in service.state().values())
    failed = service.failed(since)
    assert {row["mview_id"] for row in failed} <= cut, failed
    service.is_kept(since)


def test_timeout(service: Service) -> None:
    """The statement ends in Spark, the lock is free, and history says why."""
    busy = service.longest()
    service.asleep(600)
    assert any("slept" in job for job in service.jobs()), service.jobs()
    since = time.time()
    service.command("set", f"timeout={round(busy) + 15}s")
    until("a failure", lambda: service.state()[HELD]["failures"], 60 + 3 * busy)
    until("a free lock", lambda: HELD not in service.locks())
    assert not any("slept" in job for job in service.jobs()), "Spark goes on"
    (failed,) = service.failed(since)
    assert failed["mview_id"] == HELD and "timeout" in failed["refresh_failed_reason"]
    service.command("set", "timeout=")
    until("a success", lambda: not service.state()[HELD]["failures"])


@pytest.mark.parametrize("patience", [600, 20], ids=["cancelled", "waited for"])
def test_sigterm(service: Service, patience: int) -> None:
    """In the middle of a refresh, which has a minute to end; the others take over at once."""
    node, start = service.asleep(patience)
    assert node.process is not None
    since = time.time()
    node.signal(signal.SIGTERM)
    left, others = service.without(node)
    until("a ring without it", lambda: {one.ring() for one in others} == {left}, 15)
    assert node.process.wait(60 + 2 * service.longest()) == 0
    assert not node.workers()
    end = service.end_of(start.run)
    assert end["how"] == ("cancelled" if patience > 60 else "done"), end
    assert not service.state()[HELD]["failures"]
    service.until_fresh([HELD], since)


def test_a_broken_file(service: Service) -> None:
    """All is held for as long as the project does not parse."""
    file = service.project.root / "models" / "broken.sql"
    try:
        file.write_text("select * from {{ ref('no_such_model') }}\n")
        until("red nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {503})
        assert all("no_such_model" in node.get("/readyz")[1] for node in service.living())
        held = time.time()
        until("due views", lambda: len(service.due()) > 5)
        assert not service.starts(held)
    finally:
        file.unlink()
    service.until_fresh(service.due(), time.time())
    until("green nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {200})


def test_broken_and_reset(service: Service) -> None:
    """A view that fails again and again is left alone, until somebody says that it is mended."""
    id_ = id_of(FRAGILE)
    service.sql("update @.gate set bad = true")
    until("a broken view", lambda: service.state()[id_]["failures"] == BROKEN_AFTER)
    node = service.nodes[str(owner(id_))]
    until("it is shown", lambda: id_ in node.get("/v1/views?condition=broken")[1])
    since = time.time()
    tried = [one.at for one in service.starts(service.began) if one.id == id_][-BROKEN_AFTER:]
    waits = [after - before for before, after in pairwise(tried)]
    assert all(wait > 5 * 2**number for number, wait in enumerate(waits)), waits
    time.sleep(60)
    assert id_ not in {one.id for one in service.starts(since)}
    service.sql("update @.gate set bad = false")
    service.command("reset", FRAGILE)
    service.until_fresh([id_], since)
    assert not service.state()[id_]["failures"]
