"""Types whose values are equal and not the same, or are not kept as they are written."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.records import as_delta_plan
from ..kit.scenes import changed, small

# Types whose values cannot be told apart by comparing them.


TYPES = {
    "map<string,int>": True,
    "struct<a:map<int,int>>": True,
    "variant": True,
    "string collate UTF8_LCASE": True,
    "array<string collate UNICODE>": True,
    "string": False,
    "double": False,
    "struct<a:int,b:array<date>>": False,
    "struct<a:int,b:array<variant>>": True,
    "struct<variant_id:bigint,collateral:int>": False,
}


@pytest.mark.parametrize(("type_", "coarse"), TYPES.items())
def test_why_not_compared(type_: str, coarse: bool) -> None:
    columns: list[Any] = [{"name": "a", "type": "int"}, {"name": "b", "type": type_}]
    reason = "OPERATOR_NOT_INCREMENTAL: rows with b cannot be compared"
    assert Dbt()("_why_not_comparable_rows", columns) == (reason if coarse else None)


def test_others() -> None:
    """Names of fields are no types."""
    pattern = Dbt()("_not_image_equal", "float|double")
    for type_, coarse in {"double": 1, "array<float>": 1, "struct<a:map<int,double>>": 1}.items():
        assert bool(re.search(pattern, type_)) is bool(coarse)
    assert not re.search(pattern, "struct<floating:int,a:struct<doubled:int>>")


@pytest.mark.parametrize(
    ("type_", "whole"),
    [
        ("int", True),
        ("decimal(10,2)", True),
        ("interval day to second", True),
        ("string collate UTF8_LCASE", True),
        ("struct<a:int,b:array<struct<c:map<string,decimal(10,2)>>>>", True),
        ("struct<a:int,... 5 more fields>", False),
        ("array<struct<a b:int>>", False),
        ("struct<1:int>", False),
        ("struct<a-b:int>", False),
        ("struct<\u00fc:int>", False),
        ("struct<" + "a" * 60 + "!:int>", False),
    ],
)
def test_types_that_sql_can_say(type_: str, whole: bool) -> None:
    assert Dbt()("_is_printable_type", type_) is whole


# Columns in which Delta does not keep what is written.


COLUMNS = [
    {"name": "k", "type": "string"},
    {"name": "d", "type": "date"},
    {"name": "b", "type": "binary"},
    {"name": "m", "type": "string"},
    {"name": "at", "type": "timestamp"},
    {"name": "local", "type": "timestamp_ntz"},
]


def spec(*by: str, zone: str = "Europe/Berlin") -> dict[str, Any]:
    return {"layout": {"partition_by": list(by)}, "stored": {"time_zone": zone}}


def test_texts_and_bytes_of_partitions() -> None:
    found = Dbt()("_lossy_partition_columns", spec("K", "d", "b"), COLUMNS)
    assert [column["name"] for column in found] == ["k", "b"]
    assert Dbt()("_lossy_partition_columns", spec(), COLUMNS) == []


def test_moments_where_the_clock_shows_an_hour_twice() -> None:
    found = Dbt()("_lossy_partition_columns", spec("at", "local"), COLUMNS)
    assert [column["name"] for column in found] == ["at"]
    assert Dbt()("_lossy_partition_columns", spec("at", "local", zone="UTC"), COLUMNS) == []


@pytest.mark.parametrize(
    ("by", "reason"),
    [
        (["k"], None),
        (["d"], None),
        (["b"], "PARTITION_VALUE_NOT_KEPT: b"),
        (["m"], "PARTITION_VALUE_NOT_KEPT: m"),
        (["at"], "PARTITION_VALUE_NOT_KEPT: at"),
    ],
)
def test_what_no_stage_tells(by: list[str], reason: str | None) -> None:
    """Of a key that is a text it does; a value that is added up is compared with what it was."""
    delta_plan = as_delta_plan({"keys": ["k", "d", "b", "at"], "values": {"m": "min"}})
    assert Dbt()("_why_lossy_partition", spec(*by), {"columns": COLUMNS}, delta_plan) == reason


def test_a_value_that_is_computed_again() -> None:
    delta_plan = as_delta_plan({"keys": ["k"]})
    assert Dbt()("_why_lossy_partition", spec("m"), {"columns": COLUMNS}, delta_plan) is None


@pytest.mark.parametrize(
    ("bounds", "method"),
    [(["", "z", 1], "COMPLETE"), (["a", "z", 1], "COMPLETE"), (["a", "z", 0], "FAST")],
)
@pytest.mark.parametrize("refresh", ["auto", "fast"])
def test_a_refresh_that_touches_one(bounds: list[Any], method: str, refresh: str) -> None:
    """The changes are staged, however small the view is."""
    dbt = small(changed(partition_by="customer", refresh=refresh))
    dbt.engine.bounds = bounds
    (result,) = dbt.run()
    assert dbt.engine.sql("stage")
    lost = "count_if(`customer` is null or `customer` in ('', '__HIVE_DEFAULT_PARTITION__'))"
    assert lost in dbt.engine.sql("read_staged_changes")
    told = "PARTITION_VALUE_NOT_KEPT: customer"
    if method == "FAST":
        assert result.message.startswith("FAST")
    elif refresh == "auto":
        assert result.message.startswith("COMPLETE") and result.message.endswith(told)
    else:
        assert f"this refresh cannot be: {told}." in result.message
        assert "publish" not in dbt.engine.steps
