"""The change data feed of the base."""

from __future__ import annotations

from typing import Any

from ...kit.engine import FEED
from ...kit.harness import Dbt
from ...kit.log_scenes import base, log_model, unlogged
from ...kit.scenes import SOURCE


def switch(dbt: Dbt, on: bool) -> dict[str, Any]:
    spec = {"base": SOURCE, "mlog_id": "c.s.log"}
    job = {"id": "j", "dry_run": False, "base": "`shop`.`orders`", "feed_is_on": on}
    dbt("_switch_feed_on", spec, job)
    return job


def test_off() -> None:
    dbt = unlogged(feed=False)
    job = switch(dbt, on=False)
    assert base(dbt).properties == FEED
    assert job["now"]["version"] == 3, "the version from which changes are kept"
    assert "alter table `shop`.`orders` set" in dbt.engine.sql("switch_feed_on")
    assert dbt.logged == [
        "dbt_mview: switched the change data feed of spark_catalog.shop.orders on, for the"
        " materialized view log c.s.log"
    ]


def test_on() -> None:
    dbt = unlogged()
    assert "now" not in switch(dbt, on=True), "nothing came since the log was looked at"
    assert dbt.engine.steps == []
    assert dbt.engine.writes == [] and dbt.logged == []


def test_not_where_no_row_is_asked_for() -> None:
    """With --empty, CI logs a table that may be another target's."""
    dbt = Dbt(unlogged(feed=False).engine, log_model(), empty=True)
    dbt.engine.forget()
    switch(dbt, on=False)
    assert dbt.engine.writes == [] and dbt.logged == []
