"""A batch that failed."""

from __future__ import annotations

import pytest

from ..harness import DbtError
from ..log_scenes import LOG, a_log, a_purge, log_engine, logged


def test_history_comes_before_the_error() -> None:
    dbt = logged(1)
    engine, job = log_engine(dbt), a_purge()
    engine.broken = True
    engine.log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    engine.purges[job["id"]] = {"purge_status": "running", "purge_rows": 0}
    sql = dbt("_purge_batch_sql", a_log(dbt), job, 4)
    with pytest.raises(RuntimeError, match="APPEND_ONLY"):
        dbt("_fail_purge", a_log(dbt), job, sql)
    assert engine.steps[-3:] == ["close_purge", "close_purge", "purge_batch"]
    assert engine.purges[job["id"]]["purge_status"] == "failed"
    engine.broken = False
    engine.purges[job["id"]]["purge_status"] = "running"
    with pytest.raises(DbtError, match="went through when it was run again"):
        dbt("_fail_purge", a_log(dbt), job, sql)
