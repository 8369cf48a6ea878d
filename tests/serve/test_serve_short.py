"""Three nodes, and what they need of others is gone: the short form.

It says what must happen, and leaves how soon to the long ones. After the last test the nodes
end by SIGTERM: no lock and no process is left; and each view is what it should be, made once for
each plan.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.serve.project import NODES, SLOW, id_of, owner
from tests.serve.service import FREE, LATE, Service, until

pytestmark = [pytest.mark.thrift, pytest.mark.in_turn]
OFTEN = 30  # seconds between two refreshes


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Nodes that share the views, each of which has refreshed some."""
    running = Service(tmp_path_factory.mktemp("served"), is_long=False)
    try:
        running.start()
        yield running
        running.end_well()
    finally:
        running.stop()


def test_postgres_is_gone(service: Service) -> None:
    """Each node goes on with what it owns."""
    since = time.time()
    service.postgres.kill()
    often = [id_ for id_, every in service.views.every.items() if every <= OFTEN]
    assert {owner(id_) for id_ in often} == {*NODES}
    service.until_fresh(often, since)
    assert {node.get("/readyz")[0] for node in service.living()} == {503}
    service.postgres.start()
    until("green nodes", lambda: {node.get("/readyz")[0] for node in service.living()} == {200})
    assert not [one for node in service.living() for one in node.events("ring", since)]
    service.is_kept(since)


def test_the_engine_is_gone(service: Service) -> None:
    """In the middle of a refresh; no view is charged, and all are fresh after it is back."""
    since = time.time()
    node, _ = service.asleep(600)
    service.engine_dies()
    cut = service.begun()
    until("an open breaker", lambda: node.events("breaker", since))
    service.engine_rises()
    due, back = service.due(), time.time()
    assert id_of(SLOW) in due
    service.until_fresh(due, back)
    assert not {id_: row["failures"] for id_, row in service.state().items() if row["failures"]}
    failed = service.failed(since)
    assert {row["mview_id"] for row in failed} <= cut, failed
    service.is_kept(since)


def test_a_node_dies(service: Service) -> None:
    """In the middle of a refresh: others take its views, and what it held; then it comes back."""
    busy = service.longest()
    since = time.time()
    node, _ = service.asleep(600)
    held = service.locks()[id_of(SLOW)]
    killed = time.time()
    node.kill(whole=False)
    left, _ = service.without(node)
    until("a ring without it", lambda: service.rings() == {left}, LATE)
    until("a free lock", lambda: service.locks().get(id_of(SLOW)) != held, FREE + busy)
    service.until_fresh([id_ for id_ in service.views.every if owner(id_) == node.name], killed)
    service.is_kept(killed, left)
    until("the end of its workers", lambda: not node.workers())
    node.start()
    until("the ring of all", lambda: service.rings() == {NODES})
    back = time.time()
    until("a refresh by it", lambda: any(map(service.outcomes, node.events("ended", back))))
    kept = [one for one in service.starts(since) if owner(one.id) != node.name]
    assert all(one.node == owner(one.id) for one in kept)
