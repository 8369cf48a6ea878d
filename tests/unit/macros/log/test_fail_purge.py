"""A batch that failed."""

from __future__ import annotations

import pytest

from ...kit.harness import DbtError
from ...kit.log_scenes import LOG, a_log, a_purge, log_engine, logged


def test_history_comes_before_the_error() -> None:
    dbt = logged(1)
    engine, job = log_engine(dbt), a_purge()
    engine.broken = True
    engine.log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    engine.purges[job["id"]] = {"purge_status": "running", "purge_rows": 0}
    sql = dbt("_purge_batch_sql", a_log(dbt), job, 4)
    with pytest.raises(RuntimeError, match="APPEND_ONLY"):
        dbt("_fail_purge", a_log(dbt), job, sql)
    assert engine.steps[-4:] == ["close_purge", "close_purge", "read_properties", "purge_batch"]
    assert engine.purges[job["id"]]["purge_status"] == "failed"
    engine.broken = False
    engine.purges[job["id"]]["purge_status"] = "running"
    with pytest.raises(DbtError, match="went through when it was run again"):
        dbt("_fail_purge", a_log(dbt), job, sql)


def test_a_log_that_began_anew_is_left_alone() -> None:
    dbt = logged(1)
    engine, job, log_ = log_engine(dbt), a_purge(), a_log(dbt)
    engine.log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    engine.purges[job["id"]] = {"purge_status": "running", "purge_rows": 0}
    log_["coverage"]["began"] = {"version": 77, "commit_time": 9}
    with pytest.raises(DbtError, match="the log began anew meanwhile"):
        dbt("_fail_purge", log_, job, dbt("_purge_batch_sql", log_, job, 4))
    assert "purge_batch" not in engine.steps
