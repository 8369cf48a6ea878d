"""Types whose values cannot be told apart by comparing them."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt

TYPES = {
    "map<string,int>": True,
    "struct<a:map<int,int>>": True,
    "variant": True,
    "string collate UTF8_LCASE": True,
    "array<string collate UNICODE>": True,
    "string": False,
    "double": False,
    "struct<a:int,b:array<date>>": False,
}


@pytest.mark.parametrize(("type_", "coarse"), TYPES.items())
def test_why_not_compared(type_: str, coarse: bool) -> None:
    columns: list[Any] = [{"name": "a", "type": "int"}, {"name": "b", "type": type_}]
    reason = "OPERATOR_NOT_INCREMENTAL: rows with b cannot be compared"
    assert Dbt()("_why_not_compared", columns) == (reason if coarse else None)
