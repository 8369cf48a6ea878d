"""Literal bounds of keys."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import BOUNDS
from ...kit.lexer import skeleton
from ...kit.nasty import NASTY

DBT = Dbt()


def bound(low: Any, high: Any, nulls: bool) -> dict[str, Any]:
    return {"column": "k`1", "low": low, "high": high, "nulls": nulls}


@pytest.mark.parametrize(
    ("bounds", "sql"),
    [
        ([], "true"),
        ([bound("1", "9", False)], "(v.`k``1` between 1 and 9)"),
        ([bound("1", "9", True)], "(v.`k``1` between 1 and 9 or v.`k``1` is null)"),
        ([bound(None, None, True)], "(v.`k``1` is null)"),
        ([bound(None, None, False)], "true"),
        (
            BOUNDS,
            "(v.`k` between cast('1' as int) and cast('9' as int) or v.`k` is null)"
            " and (v.`s` between 'a' and 'z')",
        ),
    ],
)
def test_bounds(bounds: Any, sql: str) -> None:
    assert DBT("_bounds_sql", "v", bounds) == sql


@pytest.mark.parametrize(
    ("text", "type_", "literal"),
    [
        (None, "int", None),
        (None, "string", None),
        ("it's", "string", "'it\\'s'"),
        ("", "string", "''"),
        ("7", "bigint", "cast('7' as bigint)"),
        ("1.50", "decimal(10,2)", "cast('1.50' as decimal(10,2))"),
        ("2024-03-01", "date", "cast('2024-03-01' as date)"),
    ],
)
def test_typed_literal(text: Any, type_: str, literal: Any) -> None:
    assert DBT("_typed_literal", text, type_) == literal


@pytest.mark.parametrize("text", NASTY)
def test_no_text_leaves_its_literal(text: str) -> None:
    assert skeleton(DBT("_typed_literal", text, "string")) == skeleton("'x'")
