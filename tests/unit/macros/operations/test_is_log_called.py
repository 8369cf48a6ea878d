"""The names of a log."""

from __future__ import annotations

import pytest

from ...kit.log_scenes import LOG, log_model, logged


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (LOG, True),
        ("orders_log", True),
        ("SHOP.orders_log", True),
        ("rders_log", False),
        ("shop", False),
    ],
)
def test_called(name: str, found: bool) -> None:
    assert logged(1)("_is_log_called", name, LOG) is found


def test_by_the_model_behind_an_alias() -> None:
    dbt = logged(1, log_model(alias="other"))
    assert dbt("_is_log_called", "orders_log", "spark_catalog.shop.other") is True


def test_one_of_several_versions() -> None:
    dbt = logged(1, log_model(alias="orders_log_v1"))
    dbt.context["graph"]["nodes"]["model.shop.orders_log"]["version"] = 1
    mlog_id = "spark_catalog.shop.orders_log_v1"
    for name, found in {"orders_log.v1": True, "orders_log.v2": False, "orders_log": True}.items():
        assert dbt("_is_log_called", name, mlog_id) is found
