"""mlog_purge and mview_maintain: which logs, what is printed."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import delta
from ..kit.harness import Dbt, DbtError, Model
from ..kit.log_scenes import LOG, a_log, held, log_engine, log_model, logged, reads
from ..kit.scenes import SOURCE, new

# mlog_purge: which logs, what it prints.


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


# A log and its base must be there.


def test_there() -> None:
    dbt = logged(1)
    found = dbt("_log_to_purge", LOG)
    assert found["mlog_id"] == LOG and found["coverage"] == a_log(dbt)["coverage"]


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    with pytest.raises(DbtError, match=r"the materialized view log is gone\. Run its model"):
        dbt("_log_to_purge", LOG)


def test_taken() -> None:
    dbt = logged(1)
    dbt.engine.tables[LOG] = delta(1)
    with pytest.raises(DbtError, match="gone, something else has its name"):
        dbt("_log_to_purge", LOG)


@pytest.mark.parametrize("gone", [LOG, SOURCE])
def test_passed_over(gone: str) -> None:
    dbt = logged(1)
    del dbt.engine.tables[gone]
    assert dbt("_log_to_purge", LOG, True) is None
    assert "is gone, it is not purged. " in dbt.warned[0]


def test_base_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[SOURCE]
    with pytest.raises(DbtError, match=f"its base {SOURCE} is gone"):
        dbt("_log_to_purge", LOG)


# Which logs are meant.


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


def test_nothing_to_purge_is_a_line() -> None:
    dbt = logged(1)
    log_engine(dbt).logs.clear()
    assert dbt.operation("mlog_purge") == ["mlog_purge: there is no materialized view log to purge"]


@pytest.mark.parametrize("size", [0, -1, "many", 1000001, 1.5])
def test_a_batch_size_that_is_none_is_refused_without_logs_too(size: Any) -> None:
    dbt = logged(1)
    for _ in range(2):
        with pytest.raises(DbtError, match=rf"mlog_purge: batch_size is '{size}'\. Give a whole"):
            dbt.operation("mlog_purge", batch_size=size)
        log_engine(dbt).logs.clear()
    assert dbt.engine.writes == []


def test_what_a_name_means_that_is_no_log() -> None:
    with pytest.raises(DbtError, match=r"orders_lgo: is no .* Did you mean orders_log\? Build"):
        logged(1)("_logs_to_purge", "orders_lgo", None)
    dbt = logged(1)
    dbt.context["graph"]["nodes"]["model.shop.totals"] = Model().node()
    told = r"totals: is a materialized view, no materialized view log that state knows\. Build"
    with pytest.raises(DbtError, match=told):
        dbt("_logs_to_purge", "totals", None)


# The names of a log.


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


# mview_maintain.


def test_maintain() -> None:
    dbt = new()
    assert dbt.operation("mview_maintain") == ["dbt_mview: state and logs compacted and pruned"]
    verbs = [one.sql.split("\n")[1].split(" `")[0] for one in dbt.engine.log[-5:]]
    assert verbs == ["begin", "optimize", "vacuum", "optimize", "vacuum"]


@pytest.mark.parametrize(("days", "text"), [(7, "7"), ("9", "9")])
def test_days(days: Any, text: str) -> None:
    dbt = Dbt(new().engine, variables={"dbt_mview:history_days": days})
    printed = dbt.operation("mview_maintain", dry_run=True)
    assert f"interval {text} days;" in printed[0] and "sqlstate '2D521'" in printed[0]
    assert len(printed) == 5 and "maintain" not in dbt.engine.steps


@pytest.mark.parametrize("days", ["a month", 0, "1); drop"])
def test_days_that_would_delete_all_history_are_refused(days: Any) -> None:
    dbt = Dbt(new().engine, variables={"dbt_mview:history_days": days})
    with pytest.raises(DbtError, match="the var dbt_mview:history_days: "):
        dbt.operation("mview_maintain")
    assert "maintain" not in dbt.engine.steps


def test_logs_that_are_there() -> None:
    dbt = logged(1)
    log_engine(dbt).logs["spark_catalog.shop.gone_log"] = SOURCE
    dbt.operation("mview_maintain")
    done = [one.sql.split("\n")[1] for one in dbt.engine.log if one.step == "maintain"]
    assert done[-2:] == [
        f"{verb} `spark_catalog`.`shop`.`orders_log`" for verb in ("optimize", "vacuum")
    ]
    assert len(done) == 12 and not any("gone_log" in one for one in done)
