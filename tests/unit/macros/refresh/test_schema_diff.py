"""Columns of the view against columns of the query."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.scenes import FITTED

DBT = Dbt()


def columns(text: str) -> list[dict[str, str]]:
    pairs = [pair.split() for pair in text.split(",") if pair]
    return [{"name": name, "type": type_, "expression": f"`{name}`"} for name, type_ in pairs]


@pytest.mark.parametrize(
    ("present", "wanted", "text", "added", "vanished"),
    [
        ("a int,b int", "a int,b int", "", [], []),
        ("a int,b int", "B int,A int", "", [], []),
        ("a int", "a int,b string", "new: b string", ["b"], []),
        ("a int,b int", "a int", "gone: b", [], ["b"]),
        ("a int", "a bigint", "a: int -> bigint", [], []),
        ("a int,c int", "b int,a string", "new: b int, a: int -> string, gone: c", ["b"], ["c"]),
    ],
)
def test_schema_diff(
    present: str, wanted: str, text: str, added: list[str], vanished: list[str]
) -> None:
    diff = DBT("_schema_diff", columns(present), columns(wanted))
    assert diff["text"] == text
    assert [column["name"] for column in diff["added"]] == added
    assert [column["name"] for column in diff["vanished"]] == vanished


@pytest.mark.parametrize(
    ("cast", "expressions"),
    [
        (False, {"a": "`a`", "B": "`b`", "c": "null"}),
        (True, {"a": FITTED.format("a", "int"), "B": "`b`", "c": "cast(null as int)"}),
    ],
)
def test_in_order_of_the_view(cast: bool, expressions: Any) -> None:
    found = DBT("_in_order_of", columns("a int,B int,c int"), columns("b int,d int,a bigint"), cast)
    assert {column["name"]: column["expression"] for column in found} == expressions
