"""A refresh that begins."""

from __future__ import annotations

import hashlib

from ...kit.harness import INVOCATION, Dbt
from ...kit.scenes import VIEW, lock, new

SPEC = {"mview_id": VIEW}


def test_ids() -> None:
    """One job per view and invocation, whoever computes it."""
    job = Dbt()("_job", SPEC, "model.x")
    assert job["id"] == hashlib.md5((INVOCATION + VIEW).encode()).hexdigest()
    assert (job["owner"], job["unique_id"], job["token"]) == (INVOCATION, "model.x", None)


def test_the_row_of_the_start_of_the_run_is_enough() -> None:
    dbt = new()
    dbt("_on_run_start")
    dbt.engine.forget()
    assert dbt("_job", SPEC, "model.x")["state"] is None
    assert dbt.engine.log == []


def test_a_row_with_a_lock_is_read_again() -> None:
    dbt = new()
    lock(dbt)
    dbt("_on_run_start")
    dbt.engine.state(VIEW, lock_owner=None)
    assert dbt("_job", SPEC, "model.x")["state"]["lock_owner"] is None


def test_known_to_the_end_of_the_run() -> None:
    dbt = Dbt()
    job = dbt("_job", SPEC, "model.x", dry_run=True, record_now=True)
    assert dbt("_memory")["jobs"] == {"model.x": job}
    assert (job["dry_run"], job["record_now"], job["force"]) == (True, True, False)


def test_now_micros() -> None:
    assert Dbt()("_now_micros") == 1709294400000000


def test_another_refresh_in_the_same_invocation() -> None:
    """As by mview_refresh in a hook: history holds both, nobody takes the first for this one."""
    dbt = Dbt()
    ids = [dbt("_job", SPEC, "model.x")["id"] for _ in range(3)]
    assert len(set(ids)) == 3
    assert dbt("_job", {"mview_id": "other"}, "model.y")["id"] not in ids


def test_the_second_of_one_view_is_not_the_first_of_another() -> None:
    dbt = Dbt()
    ids = [
        dbt("_job", {"mview_id": name}, name)["id"] for name in ("c.s.orders", "c.s.orders1") * 2
    ]
    assert len(set(ids)) == 4
