"""Three nodes, and what they need of others is gone: the short form.

test_more_faults.py says more of the same, for longer, on more views.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.serve.project import NODES, SLOW, id_of, owner
from tests.serve.service import Service, until

pytestmark = [pytest.mark.thrift, pytest.mark.nightly]
GONE = 20.0
# Seconds, on a machine that has nothing else to do. Those of the longest run are added: for so long
# a slot may be taken. After the engine has come back, twice: what was left is recovered first.
LATE, FREE, FRESH = 45.0, 60.0, 90.0


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Nodes that share the views, of which each was refreshed."""
    running = Service(tmp_path_factory.mktemp("served"), is_long=False)
    try:
        running.start()
        running.until_fresh([*running.views.ids, *running.views.logs], running.began)
        yield running
    finally:
        running.stop()


def test_postgres_is_gone(service: Service) -> None:
    """Nothing is late, and each node keeps its views."""
    busy = service.longest()
    since = time.time()
    service.postgres.kill()
    quick = [id_ for id_, every in service.views.every.items() if every <= GONE]
    service.until_fresh(quick, since)
    until("red nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {503})
    time.sleep(max(0.0, since + GONE - time.time()))
    service.postgres.start()
    until("green nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {200})
    late = service.lateness(since)
    assert late and max(late.values()) < busy + GONE / 2, late
    assert not [one for node in service.living() for one in node.events("ring", since)]
    service.is_kept(since)


def test_the_engine_is_gone(service: Service) -> None:
    """In the middle of a refresh; no view is charged, and all are fresh soon after it is back."""
    busy = service.longest()
    since = time.time()
    service.set_pace(600)
    service.run_of(id_of(SLOW), since)
    service.set_pace(0)
    service.engine_dies()
    until("open breakers", lambda: all(node.events("breaker", since) for node in service.living()))
    time.sleep(max(0.0, since + GONE - time.time()))
    service.engine_rises()
    due, back = service.due(), time.time()
    assert id_of(SLOW) in due
    service.until_fresh(due, back, FRESH + 2 * busy)
    failures = {id_: row["failures"] for id_, row in service.state().items() if row["failures"]}
    assert not failures
    failed = [row for row in service.history(since) if row["refresh_status"] != "success"]
    assert not failed
    service.is_kept(since)


def test_a_node_dies(service: Service) -> None:
    """In the middle of a refresh: others take its views, and what it held; then it comes back."""
    busy = service.longest()
    since = time.time()
    service.set_pace(600)
    node, start = service.run_of(id_of(SLOW), since)
    held = service.locks()[id_of(SLOW)]
    service.set_pace(0)
    killed = time.time()
    node.kill(whole=False)
    left, _ = service.without(node)
    until("a free lock", lambda: service.locks().get(id_of(SLOW)) != held, FREE + busy)
    until("a ring without it", lambda: service.rings() == {left}, LATE)
    mine = [id_ for id_ in service.views.every if owner(id_) == node.name]
    service.until_fresh(mine, killed)
    late = {id_: service.lateness(killed).get(id_, 0.0) for id_ in mine if id_ != start.id}
    assert late and max(late.values()) < LATE + busy, late
    service.is_kept(killed, left)
    until("the end of its workers", lambda: not node.workers())
    node.start()
    until("the ring of all", lambda: service.rings() == {NODES})
    service.until_fresh([start.id], time.time())
    kept = [one for one in service.starts(since) if owner(one.id) != node.name]
    assert all(one.node == owner(one.id) for one in kept)


def test_all_end_well(service: Service) -> None:
    """SIGTERM: no lock, no process; and each view is what it should be, made once for each plan."""
    service.end_well()
