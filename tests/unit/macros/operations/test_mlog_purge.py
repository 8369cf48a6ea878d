"""mlog_purge: which logs, what it prints."""

from __future__ import annotations

from ...kit.log_scenes import LOG, held, logged, reads


def test_all_logs() -> None:
    dbt = logged(1)
    reads(dbt, "behind", 3)
    printed = dbt.operation("mlog_purge")
    assert [line.split() for line in printed] == [
        ["log", "captured", "purged", "up", "to", "rows", "batches", "result"],
        ["shop.orders_log", "v5", "v3", "4", "1", "success"],
        ["log", "view", "has", "read", "holds", "it", "back"],
        ["shop.orders_log", "shop.behind", "v3", "yes"],
    ]
    assert len(held(dbt)) == 2


def test_nothing_to_purge() -> None:
    dbt = logged(1)
    reads(dbt, "unborn", None)
    printed = dbt.operation("mlog_purge", log="orders_log")
    assert printed[1].split() == ["shop.orders_log", "v5", "v0", "0", "0", "success"]
    assert LOG.endswith("orders_log") and len(held(dbt)) == 6
