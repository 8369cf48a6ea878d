"""One line of mlog_info."""

from __future__ import annotations

from ...kit.log_scenes import LOG, logged
from ...kit.scenes import SOURCE


def test_line() -> None:
    found = logged(1)("_info_of_log", LOG)
    assert found["base"] == SOURCE
    assert found["line"][:6] == ["shop.orders_log", "shop.orders", "v2", "v5", "v5", 6]


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    assert dbt("_info_of_log", LOG) == {
        "line": ["shop.orders_log", *["-"] * 6, "gone"],
        "base": None,
    }
