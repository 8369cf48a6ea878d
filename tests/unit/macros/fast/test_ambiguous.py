"""Names and literals that a plan cannot be read around."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


@pytest.mark.parametrize(
    "name",
    [
        "a, b", "sum(b)", "x#12", "[a", "b]", "{", "}", "p) t", "`", "'", '"', "a\\b", "a\nb",
        "a\tb", "a\u2028b", "a\xa0b", "\x1b", " a", "a ", "x AS y", "AS y", "... 3 more fields",
    ],
)  # fmt: skip
def test_ambiguous(name: str) -> None:
    assert DBT("_is_ambiguous", name) is True


@pytest.mark.parametrize(
    "name",
    ["k", "Order ID", "user-agent", "$type", "% of all", "a.b", "R&D", "as", "AS", "was x", "é",
     "日本", "+- Filter", "Aggregate", "a / b", "x as y", "CASE"],
)  # fmt: skip
def test_plain(name: str) -> None:
    assert DBT("_is_ambiguous", name) is False


@pytest.mark.parametrize(
    ("token", "ambiguous"),
    [
        ("'x'", False), ("''", False), ("'2024-01-01 10:00:00'", False), ("'Brand#12'", True),
        ("'MMM d, yyyy'", True), (r"'\\d'", True), (r"'\u0028'", True), ("r'x'", True),
        ('"("', True), ("'" + "x" * 100 + "'", True),
    ],
)  # fmt: skip
def test_literals(token: str, ambiguous: bool) -> None:
    assert DBT("_is_ambiguous_literal", token) is ambiguous


@pytest.mark.parametrize(
    ("type_", "ambiguous"),
    [
        ("decimal(10,2)", False),
        ("struct<a:int,user-agent:map<string,array<decimal(38,0)>>>", False),
        ("struct<a(b:int>", True),
        ("struct<a#1:int>", True),
        ("array<struct<x AS y:int>>", True),
    ],
)
def test_types(type_: str, ambiguous: bool) -> None:
    assert DBT("_is_ambiguous_type", type_) is ambiguous


def test_quoted_names() -> None:
    assert DBT("_quoted_names", "t.`A, b`.c.`x``y`") == ["a, b", "x`y"]
    assert DBT("_quoted_names", "t.a") == []


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("select a, 'b', `c` from t", False),
        ("select 'b#1' from t", True),
        ("select t.`c, d` from t", True),
        ("select a -- 'b#1', `c, d`", False),
    ],
)
def test_a_query(sql: str, found: bool) -> None:
    assert DBT("_has_ambiguous", DBT("_words", sql)) is found


def known(sql: str) -> list[Any]:
    words = DBT("_words", sql)
    return [words[index] for index in DBT("_literals_of_analysis", words)]


def test_literals_that_spark_reads_itself() -> None:
    """The schema says what columns there are, the format how many digits."""
    assert known("select from_json(x, 'a INT, b DECIMAL(10,2)') from t") == [
        "'a INT, b DECIMAL(10,2)'"
    ]
    assert known("select from_json(upper('a, b'), 'array<int>')") == ["'array<int>'"]
    assert known("select TO_CHAR(x, '999,999.99')") == ["'999,999.99'"]
    assert known("select variant_get(v, '$.a[0]', 'decimal(10,2)')") == [
        "'$.a[0]'", "'decimal(10,2)'"
    ]  # fmt: skip
    assert known("select coalesce(x, 'a, b') from t where y = 'c'") == []


def test_not_where_they_could_end_a_bracket() -> None:
    assert (
        known("select from_json(x, 'a) AS b#1')") == known("select from_json(x, '`a(` INT')") == []
    )
