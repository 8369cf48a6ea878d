"""What is known at one level of brackets, as _table_names walks in and out."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


def words(sql: str) -> list[str]:
    return [*DBT("_tokens", sql)[1::3], "", "", ""]


def level(sql: str, at: int, around: dict[str, Any] | None = None) -> dict[str, Any]:
    """The level that the bracket at this word opens."""
    found: dict[str, Any] = DBT("_bracket", words(sql), at, around, False)
    return found


def top(**values: Any) -> dict[str, Any]:
    return {**level("select 1", 0), **values}


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("in (select 1)", True),
        ("in (from x select y)", True),
        ("in (with c as (select 1) select * from c)", True),
        ("extract (year from x)", False),
        ("trim (from x)", False),
        ("f ((select 1))", False),
    ],
)
def test_where_from_names_tables(sql: str, query: bool) -> None:
    assert level(sql, 2, top())["query"] is query


def test_the_query_as_a_whole_is_one() -> None:
    assert level("(select 1)", 0)["query"]


@pytest.mark.parametrize(
    ("sql", "body"),
    [("(select 1)", True), ("((select 1))", True), ("(a)", False), ("(a, b)", False)],
)
def test_the_query_of_a_name(sql: str, body: bool) -> None:
    inner = level("c " + sql, 2, top(**{"with": "c", "hidden": ["b"]}))
    assert (inner["body"], inner["hidden"]) == (body, ["b"])


def test_a_recursive_name_is_seen_by_its_own_query() -> None:
    around = top(**{"with": "c", "recursive": True, "hidden": ["b"]})
    assert level("c (select 1)", 2, around)["hidden"] == ["b", "c"]
    assert around["hidden"] == ["b"]


@pytest.mark.parametrize(
    ("after", "next_name"), [("select 1", None), (", `D``d` as (select 1)", "D`d"), ("", None)]
)
def test_after_its_query_a_name_hides_tables(after: str, next_name: str | None) -> None:
    levels = [top(**{"with": "c"}), top(body=True)]
    DBT("_close_bracket", words(")" + after), 1, levels)
    assert len(levels) == 1
    assert levels[0]["hidden"] == ["c"]
    assert levels[0]["with"] == (next_name and next_name.lower())


def test_a_bracket_too_many_is_left_to_the_engine() -> None:
    levels = [top()]
    DBT("_close_bracket", words(")"), 1, levels)
    assert len(levels) == 1


@pytest.mark.parametrize(
    ("sql", "name", "recursive"),
    [
        ("with c as", "c", False),
        ("with recursive c (n) as", "c", True),
        ("with recursive as", "recursive", False),
        ("with recursive (select 1)", "recursive", False),
    ],
)
def test_begin_with(sql: str, name: str, recursive: bool) -> None:
    here = top()
    DBT("_begin_with", words(sql), 1, here)
    assert (here["with"], here["recursive"]) == (name, recursive)
