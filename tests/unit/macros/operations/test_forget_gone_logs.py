"""Rows of logs that nobody answers for."""

from __future__ import annotations

from ...kit.engine import delta
from ...kit.harness import Dbt
from ...kit.log_scenes import LOG, log_engine, logged

GONE, TAKEN, HELD = (f"spark_catalog.shop.{name}_log" for name in ("gone", "taken", "held"))
DEAD = "spark_catalog.shop.dead_log"


def project() -> Dbt:
    """A log of this project, one of another; logs that are gone, of which one is being purged."""
    dbt = logged(1)
    engine = log_engine(dbt)
    for mlog_id in (GONE, TAKEN, HELD, DEAD, "spark_catalog.shop.other_log"):
        engine.logs[mlog_id] = "spark_catalog.shop.orders"
    engine.tables["spark_catalog.shop.other_log"] = engine.tables[LOG]
    engine.tables[TAKEN] = delta(1)
    engine.log_rows[HELD] = {"lock_owner": "i", "lock_token": 1, "lease_until": 10**18}
    engine.log_rows[DEAD] = {"lock_owner": "i", "lock_token": 1, "lease_until": 1}
    return dbt


def test_forgotten() -> None:
    dbt = project()
    dbt("_forget_gone_logs")
    assert set(log_engine(dbt).logs) == {LOG, HELD, "spark_catalog.shop.other_log"}
    assert dbt.printed == [f"{one}: forgotten" for one in (DEAD, GONE, TAKEN)]
    assert "and coalesce(lease_until < current_timestamp(), true)" in dbt.engine.sql("forget")


def test_a_model_will_write_its_log_again() -> None:
    dbt = project()
    del dbt.engine.tables[LOG]
    dbt("_forget_gone_logs")
    assert LOG in log_engine(dbt).logs


def test_dry_run() -> None:
    dbt = project()
    dbt("_forget_gone_logs", True)
    assert dbt.engine.writes == [] and len(dbt.printed) == 3
    assert all("delete from" in text for text in dbt.printed)


def test_without_logs() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    dbt("_forget_gone_logs")
    assert dbt.engine.writes == []
