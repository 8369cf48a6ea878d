"""A log that state knows, and what it holds."""

from __future__ import annotations

from ...kit.engine import delta
from ...kit.log_scenes import LOG, a_log, logged


def test_there() -> None:
    dbt = logged(1)
    found = dbt("_find_log", LOG)
    assert (found["mlog_id"], found["short"]) == (LOG, "shop.orders_log")
    assert (found["name"], found["kind"]) == ("`spark_catalog`.`shop`.`orders_log`", "delta")
    assert found["coverage"] == a_log(dbt)["coverage"]


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    found = dbt("_find_log", LOG)
    assert (found["kind"], found["coverage"]) == ("missing", {"base": None})


def test_taken() -> None:
    dbt = logged(1)
    dbt.engine.tables[LOG] = delta(1)
    found = dbt("_find_log", LOG)
    assert (found["kind"], found["coverage"]["base"]) == ("delta", None)
