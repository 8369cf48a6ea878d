"""Literals and names that a plan cannot be read around."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt

DBT = Dbt()


def odd(sql: str) -> Any:
    return DBT("_odd_literal", DBT("_tokens", sql)[1::3])


@pytest.mark.parametrize(
    "literal",
    [
        "'('", "')'", "'['", "'}'", '"("', "'a)b(c'", "'(]'", "'([)]'", r"'\\(([0-9]+)'",
        "'x#7'", "'#1 AS y'", r"'\u0028'", r"'\U00000028'", r"'\050'", "r'('", "':-)'",
        "`(`", "`a#1`",
    ],
)  # fmt: skip
def test_odd(literal: str) -> None:
    assert odd(f"select upper(a) from t where b = {literal} and c = 'x'") == literal


@pytest.mark.parametrize(
    "literal",
    [
        "''", "'x'", "'it, is'", "'(a)'", "'[^a-z]+'", "'{\"a\": [1, (2)]}'", "'a # b'", "'#'",
        r"'\\d+'", r"'\n'", "'x AS y'", "'((((()))))'", "`sum(a)`", "/* '(' */ 1", "1 -- '('\n",
    ],
)  # fmt: skip
def test_plain(literal: str) -> None:
    assert odd(f"select f(a) from t where b = {literal} and c = 'x'") is None


@pytest.mark.parametrize(
    ("sql", "literal"),
    [
        ("select coalesce(a, 'x, y', 'z')", "'x, y'"),
        ("select 'x' || \",\"", '","'),
        ("select a, 'b', `c, d` -- 'e, f'", None),
    ],
)
def test_a_literal_that_reads_like_two(sql: str, literal: str | None) -> None:
    assert DBT("_literal_with_comma", DBT("_tokens", sql)[1::3]) == literal


@pytest.mark.parametrize(
    ("number", "is_double"),
    [("1e-1", True), ("0.7D", True), ("7f", True), (".5E2", True), ("2e1d", True),
     ("0.1", False), ("1L", False), ("1e3BD", False), ("0.7bd", False), ("e1", False)],
)  # fmt: skip
def test_doubles(number: str, is_double: bool) -> None:
    words = DBT("_words", f"select a + {number} from t")
    assert (DBT("_float_literal", words) is not None) is is_double
