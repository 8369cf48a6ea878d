"""What the nodes need is gone, or wrong: PostgreSQL, the engine, time, the project, a view.

Each begins and ends as in test_serve_faults.py.
"""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from tests.serve.project import BROKEN_AFTER, FRAGILE, SLOW, id_of, owner
from tests.serve.service import FRESH, Service, until

pytestmark = [pytest.mark.thrift, pytest.mark.nightly]
GONE = 60.0
ENGINE_GONE = 120.0
HELD = id_of(SLOW)


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
