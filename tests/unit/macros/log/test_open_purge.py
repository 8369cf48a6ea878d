"""A purge has a row in history from its lock on."""

from __future__ import annotations

import pytest

from ...kit.log_scenes import a_log, a_purge, log_engine, logged


@pytest.mark.parametrize(("took_over", "dead"), [(True, "failed"), (False, "running")])
def test_opened(took_over: bool, dead: str) -> None:
    dbt = logged(1)
    log_engine(dbt).purges["dead"] = {"purge_status": "running", "purge_rows": 0}
    dbt("_open_purge", a_log(dbt), a_purge(took_over=took_over))
    states = [row["purge_status"] for row in log_engine(dbt).purges.values()]
    assert states == [dead, "running"]
