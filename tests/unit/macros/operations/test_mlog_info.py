"""mlog_info."""

from __future__ import annotations

import pytest

from ...kit.engine import Foreign, delta
from ...kit.harness import Dbt, DbtError, Model
from ...kit.log_scenes import LOG, change, later, log_model, run_log, started
from ...kit.scenes import SOURCE

HEAD = ["log", "base", "from", "captured", "base now", "rows", "next purge", "why it began"]


def captured(*models: Model) -> Dbt:
    dbt = started()
    change(dbt)
    run_log(dbt)
    change(dbt, 60)
    return later(dbt, *(models or (log_model(),)))


def reader(dbt: Dbt, name: str, *versions: int) -> None:
    """A view that read the base."""
    sources = [{"relation": SOURCE, "version": version} for version in versions]
    dbt.engine.state(f"spark_catalog.shop.{name}", sources=sources or None)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_info() -> None:
    dbt = captured()
    for name, *versions in [("one", 2), ("two", 4), ("twice", 3, 3), ("new",)]:
        reader(dbt, str(name), *[int(version) for version in versions])
    dbt.engine.state("spark_catalog.shop.other", sources=[{"relation": "a.b.c", "version": 1}])
    head, line, *views = dbt.operation("mlog_info")
    assert cells(head) == HEAD
    assert cells(line) == [
        "shop.orders_log",
        "shop.orders",
        "v2",
        "v5",
        "v8",
        "6",
        "-",
        "first capture",
    ]
    assert [cells(view) for view in views] == [
        ["base", "view", "has read"],
        ["shop.orders", "shop.one", "v2"],
        ["shop.orders", "shop.two", "v4"],
        ["shop.orders", "shop.twice", "v3"],
    ]
    assert dbt.engine.writes == []


def test_two_logs_of_one_base() -> None:
    """A view that reads it stands there once."""
    dbt = captured()
    dbt.engine.logs["spark_catalog.shop.second"] = SOURCE
    dbt.engine.tables["spark_catalog.shop.second"] = dbt.engine.tables[LOG]
    dbt.engine.held["spark_catalog.shop.second"] = dbt.engine.held[LOG]
    reader(dbt, "one", 2)
    lines = dbt.operation("mlog_info")
    assert [cells(line)[0] for line in lines] == [
        "log", "shop.orders_log", "shop.second", "base", "shop.orders"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["orders_log", "shop.orders_log", LOG, "Shop.Orders_LOG"])
def test_one_log(name: str) -> None:
    dbt = captured()
    dbt.engine.logs["spark_catalog.shop.more_orders_log"] = "x"
    assert [cells(line)[0] for line in dbt.operation("mlog_info", log=name)] == [
        "log", "shop.orders_log", "base"
    ]  # fmt: skip


def test_by_the_name_of_its_model() -> None:
    model = log_model(alias="orders_log")
    model.name = "log_of_orders"
    dbt = captured(model, Model("LOG_OF_ORDERS", config={"alias": "orders_log"}))
    assert len(dbt.operation("mlog_info", log="log_of_orders")) == 3


def test_no_such_log() -> None:
    dbt = captured()
    with pytest.raises(DbtError, match="gone: is no materialized view log that state knows"):
        dbt.operation("mlog_info", log="gone")


def test_what_is_gone() -> None:
    dbt = captured()
    dbt.engine.tables[SOURCE] = Foreign()
    assert cells(dbt.operation("mlog_info")[1])[4] == "gone"
    for there in (None, Foreign(), delta(1)):
        dbt = captured()
        reader(dbt, "one", 2)
        dbt.engine.tables[LOG] = there
        if there is None:
            del dbt.engine.tables[LOG]
        lines = [cells(line) for line in dbt.operation("mlog_info")]
        assert lines[1] == ["shop.orders_log", *["-"] * 6, "gone"]
        assert len(lines) == 3


def test_a_project_without_logs() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    assert [cells(line) for line in dbt.operation("mlog_info")] == [
        HEAD, ["base", "view", "has read"]
    ]  # fmt: skip
    assert dbt.engine.writes == []


def test_dry_run_without_state() -> None:
    dbt = Dbt()
    printed = dbt.operation("mlog_info", dry_run=True)
    assert dbt.engine.writes == []
    assert sum("step=ensure_state" in line for line in printed) == 3
