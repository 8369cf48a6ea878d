"""A purge that begins."""

from __future__ import annotations

from ..log_scenes import a_log, logged


def test_job() -> None:
    dbt = logged(1)
    job = dbt("_purge_job", a_log(dbt), "automatic", 5, True)
    assert (job["method"], job["batch_size"], job["dry_run"]) == ("automatic", 5, True)
    assert job["owner"] == dbt.invocation_id and len(job["id"]) == 32
    assert dbt("_purge_job", {"mlog_id": "c.s.other"}, "manual")["id"] != job["id"]
