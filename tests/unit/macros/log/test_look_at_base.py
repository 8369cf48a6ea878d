"""Which table is logged."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import FEED, Foreign, View
from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import BODY, base, unlogged
from ...kit.scenes import SOURCE


def look(dbt: Dbt) -> tuple[dict[str, Any], dict[str, Any]]:
    spec = dbt("_log_spec_from_model")
    job: dict[str, Any] = {}
    dbt("_look_at_base", spec, job)
    return spec, job


def test_base() -> None:
    dbt = unlogged()
    spec, job = look(dbt)
    assert spec["base"] == SOURCE and job["base"] == "`spark_catalog`.`shop`.`orders`"
    assert [column["name"] for column in job["columns"]] == ["customer", "amount"]
    assert job["feed_is_on"] is True
    assert job["now"]["relation"] == SOURCE and job["now"]["version"] == 2
    looks = ["read_explain", "read_properties", "read_describe_history", "read_describe_query"]
    assert dbt.engine.steps == looks


@pytest.mark.parametrize(
    ("value", "on"), [("true", True), ("True", True), ("false", False), (None, False)]
)
def test_feed(value: str | None, on: bool) -> None:
    dbt = unlogged()
    base(dbt).properties = {} if value is None else dict.fromkeys(FEED, value)
    assert look(dbt)[1]["feed_is_on"] is on


def refused(dbt: Dbt, message: str) -> None:
    with pytest.raises(DbtError, match=message):
        look(dbt)


def test_what_is_no_table() -> None:
    dbt = unlogged()
    stg = "spark_catalog.shop.stg"
    dbt.engine.tables[stg] = View("select 1", [])
    dbt.engine.reads(SOURCE, views=(stg,))
    refused(dbt, "is one Delta table, not spark_catalog.shop.stg. Log the tables that the views")
    dbt.engine.reads("spark_catalog.shop.a", "spark_catalog.shop.b")
    refused(dbt, "is one Delta table, not spark_catalog.shop.a, spark_catalog.shop.b")
    dbt.engine.explains("a: int", "Project [a#1]\n+- Filter false\n   +- Relation [a#1] parquet")
    refused(dbt, "is one Delta table, not a file read by its path")


def test_another_format() -> None:
    dbt = unlogged()
    dbt.engine.tables[SOURCE] = Foreign()
    refused(dbt, "spark_catalog.shop.orders is no Delta table, but parquet. Only Delta tables")


@pytest.mark.parametrize("name", ["_change_type", "_Commit_Version", "_commit_timestamp"])
def test_a_column_named_as_one_of_the_logs_own(name: str) -> None:
    dbt = unlogged()
    dbt.engine.described[BODY] = [("a", "int"), (name, "int")]
    refused(dbt, f"the base has a column {name}, which Delta's change data feed needs")


def test_change_columns() -> None:
    columns = ["_change_type", "_commit_version", "_commit_timestamp"]
    assert unlogged()("_change_columns") == columns
