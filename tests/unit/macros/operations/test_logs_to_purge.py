"""Which logs are meant."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import DbtError
from ...kit.log_scenes import LOG, log_engine, logged

SECOND = "spark_catalog.shop.second"


@pytest.mark.parametrize(
    ("log", "base", "found"),
    [
        (None, None, [LOG, SECOND]),
        ("orders_log", None, [LOG]),
        (None, "shop.orders", [LOG]),
        (None, "SPARK_CATALOG.shop.Orders", [LOG]),
        ("shop.second", None, [SECOND]),
    ],
)
def test_meant(log: Any, base: Any, found: list[str]) -> None:
    dbt = logged(1)
    log_engine(dbt).logs[SECOND] = "a.b.c"
    assert dbt("_logs_to_purge", log, base) == found


@pytest.mark.parametrize(
    ("log", "base", "message"),
    [
        ("no", None, "no: is no materialized view log"),
        (None, "s.t", "s.t: has no materialized view log"),
        ("orders_log", "s.t", "orders_log: is no materialized view log"),
    ],
)
def test_none(log: Any, base: Any, message: str) -> None:
    with pytest.raises(DbtError, match=message):
        logged(1)("_logs_to_purge", log, base)


def test_no_logs_at_all() -> None:
    dbt = logged(1)
    log_engine(dbt).logs.clear()
    assert dbt("_logs_to_purge", None, None) == []
