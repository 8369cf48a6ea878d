"""Types whose values cannot be told apart by comparing them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ...kit.harness import Dbt

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
    assert Dbt()("_why_not_compared", columns) == (reason if coarse else None)


def test_others() -> None:
    """Names of fields are no types."""
    pattern = Dbt()("_coarse_types", "float|double")
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
    assert Dbt()("_is_printed_whole", type_) is whole
