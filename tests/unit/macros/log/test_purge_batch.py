"""One batch of a purge."""

from __future__ import annotations

import json

import pytest

from ...kit.log_scenes import LOG, a_log, a_purge, log_engine, logged


def test_the_first_has_its_lock_already() -> None:
    dbt = logged(1)
    job = a_purge(batches=0, rows=0, safe={"version": 4})
    dbt("_purge_batch", a_log(dbt), job)
    assert "keep_lock" not in dbt.engine.steps
    assert (job["rows"], job["batches"], job["upto"], job["ended"]) == (5, 1, 4, True)


def test_none_is_left() -> None:
    dbt = logged(1)
    job = a_purge(safe={"version": 2})
    dbt("_purge_batch", a_log(dbt), job)
    assert job["ended"] and not job["stopped"] and dbt.engine.writes == []


def test_the_lock_is_gone() -> None:
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "other", "lock_token": 3}
    job = a_purge()
    dbt("_purge_batch", a_log(dbt), job)
    assert job["ended"] and job["stopped"] and job["rows"] == 6
    assert dbt.engine.steps[-1] == "keep_lock"


@pytest.mark.parametrize("batches", [0, 1])
def test_the_log_began_anew(batches: int) -> None:
    """Over a base that was created anew: its versions are others than those that no view needs."""
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    job, log_ = a_purge(batches=batches), a_log(dbt)
    properties = dbt.engine.tables[LOG].properties
    anew = {**json.loads(properties["dbt_mview.mlog"]), "start": {"version": 1, "commit_time": 9}}
    properties["dbt_mview.mlog"] = json.dumps(anew)
    dbt("_purge_batch", log_, job)
    assert job["ended"] and job["stopped"] and "purge_batch" not in dbt.engine.steps
