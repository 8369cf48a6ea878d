"""The end of a purge."""

from __future__ import annotations

import pytest

from ...kit.log_scenes import LOG, a_log, a_purge, log_engine, logged


@pytest.mark.parametrize(
    ("stopped", "reason", "status", "purged"),
    [(False, None, "success", 4), (True, None, "success", None), (False, "x", "failed", None)],
)
def test_closed(stopped: bool, reason: str | None, status: str, purged: int | None) -> None:
    dbt = logged(1)
    job = a_purge(stopped=stopped)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    log_engine(dbt).purges[job["id"]] = {"purge_status": "running", "purge_rows": 0}
    dbt("_close_purge", a_log(dbt), job, reason)
    row = log_engine(dbt).log_rows[LOG]
    assert (row["lock_owner"], row.get("last_purged_version")) == (None, purged)
    assert row.get("failures") == (1 if reason else None)
    assert log_engine(dbt).purges[job["id"]] == {"purge_status": status, "purge_rows": 6}


def test_the_lock_of_somebody_else_stays() -> None:
    dbt = logged(1)
    job = a_purge()
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "other", "lock_token": 4}
    log_engine(dbt).purges[job["id"]] = {"purge_status": "running", "purge_rows": 0}
    dbt("_close_purge", a_log(dbt), job)
    assert log_engine(dbt).log_rows[LOG] == {"lock_owner": "other", "lock_token": 4}


def test_nothing_to_purge_is_one_row() -> None:
    dbt = logged(1)
    dbt("_record_nothing", a_log(dbt), a_purge(rows=0))
    assert [row["purge_status"] for row in log_engine(dbt).purges.values()] == ["success"]


PLAN = {"schedule": {"every": 60}, "next_time": 99}


def test_a_plan_moves_with_the_success_alone() -> None:
    for stopped, reason, moved in ((False, None, PLAN), (True, None, {}), (False, "x", {})):
        dbt = logged(1)
        job = a_purge(stopped=stopped, plan=PLAN)
        log_engine(dbt).log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
        log_engine(dbt).purges[job["id"]] = {"purge_status": "running", "purge_rows": 0}
        dbt("_close_purge", a_log(dbt), job, reason)
        row = log_engine(dbt).log_rows[LOG]
        assert {key: row[key] for key in PLAN if key in row} == moved


def test_a_plan_moves_when_there_is_nothing_to_purge() -> None:
    dbt = logged(1)
    dbt("_record_nothing", a_log(dbt), a_purge(rows=0, plan=PLAN))
    row = log_engine(dbt).log_rows[LOG]
    assert {key: row[key] for key in PLAN} == PLAN
