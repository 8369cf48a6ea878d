"""A node dies, stops for a minute, or is told to end, on two dozen views and three logs.

Each fault begins with nodes that have just started, and ends with SIGTERM to those that live: no
lock and no process is left, nothing was refreshed twice for a plan, and each view is its query.
"""

from __future__ import annotations

import signal
import time

import pytest

from tests.serve.project import NODES, SLOW, id_of, owner
from tests.serve.service import FREE, LATE, PATIENCE, Node, Service, until

pytestmark = [pytest.mark.thrift, pytest.mark.nightly]
GONE = 60.0
HELD = id_of(SLOW)


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
