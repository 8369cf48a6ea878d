"""How one value of a group follows changes."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


@pytest.mark.parametrize(
    ("expression", "type_", "kind"),
    [
        ("count(1)", "bigint", "count_all"),
        ("count(s#4)", "bigint", "count"),
        ("count(a#1, b#2)", "bigint", "count"),
        ("count(distinct s#4)", "bigint", "other"),
        ("count(a#1)", "string", "other"),
        ("count(1)", "string", "other"),
        ("count(*)", "string", "other"),
        ("count(*)", "bigint", "other"),
        ("max(x)", "string", "other"),
        ("min(y)", "boolean", "other"),
        ("sum(amt#3)", "decimal(20,2)", "sum"),
        ("sum(amt#3)", "decimal(37,27)", "sum"),
        ("sum(amt#3)", "decimal(38,6)", "wide_sum"),
        ("sum(amt#3)", "decimal(38,0)", "wide_sum"),
        ("sum(amt#3)", "decimal(38,7)", "other"),
        ("sum(amt#3)", "decimal(38,38)", "other"),
        ("sum(k#2)", "bigint", "sum"),
        ("sum((k#2 * cast(2 as int)))", "bigint", "sum"),
        ("sum(distinct k#2)", "bigint", "other"),
        ("sum(d#3)", "double", "other"),
        ("sum(i#3)", "interval day", "other"),
        ("min(k#2)", "int", "min"),
        ("max(s#4)", "string", "max"),
        ("max(day#5)", "date", "max"),
        ("min(at#5)", "timestamp_ntz", "min"),
        ("min(b#5)", "boolean", "min"),
        ("max(d#3)", "double", "other"),
        ("max(d#3)", "float", "other"),
        ("max(s#4)", "string collate UNICODE_CI", "other"),
        ("max(struct(a#1, b#2))", "struct<a:int,b:int>", "other"),
        ("max(a#1)", "array<int>", "other"),
        ("avg(k#2)", "double", "other"),
        ("(sum(k#2) / count(1))", "double", "other"),
        ("(count(1) + count(1))", "bigint", "other"),
        ("sum(k#2) FILTER (WHERE (k#2 > 1))", "bigint", "other"),
        ("count(1) FILTER (WHERE (k#2 > 1))", "bigint", "other"),
        ("try_sum(k#2)", "bigint", "other"),
        ("upper(s#4)", "string", "other"),
        ("", "bigint", "other"),
    ],
)
def test_value_class(expression: str, type_: str, kind: str) -> None:
    assert DBT("_value_class", expression, type_) == kind


@pytest.mark.parametrize(
    ("type_", "digits"), [("decimal(20,2)", (20, 2)), ("double", None), ("decimal", None)]
)
def test_decimal_digits(type_: str, digits: tuple[int, int] | None) -> None:
    assert DBT("_decimal_digits", type_) == digits


@pytest.mark.parametrize(
    ("text", "early"),
    [("", False), ("a#1", False), ("f(a#1), g()", False), ("a#1) + sum(b#2", True), (")(", True)],
)
def test_closes_early(text: str, early: bool) -> None:
    assert DBT("_closes_early", text) is early
