"""A purge that begins."""

from __future__ import annotations

from ...kit.log_scenes import LOG, logged


def test_job() -> None:
    dbt = logged(1)
    job = dbt("_purge_job", LOG, "automatic", 5, True)
    assert (job["method"], job["batch_size"], job["dry_run"]) == ("automatic", 5, True)
    assert job["owner"] == dbt.invocation_id and len(job["id"]) == 32
    assert dbt("_purge_job", "c.s.other", "manual")["id"] != job["id"]
