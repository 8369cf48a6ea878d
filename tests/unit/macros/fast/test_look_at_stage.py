"""What the staged changes amount to."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, aggregate, columns, job


def look(staged: list[Any], bounds: list[Any], given: dict[str, Any]) -> tuple[Dbt, Any]:
    dbt = Dbt()
    dbt.engine.staged, dbt.engine.bounds = staged, bounds
    given.update(publish="merge")
    dbt("_look_at_stage", SPEC, given)
    return dbt, given


def test_doubts_and_bounds() -> None:
    _, found = look([3, 2], ["1", "9", 0, "a", "z", 1], aggregate())
    assert (found["doubts"], found["publish"]) == (2, "merge")
    assert found["bounds"] == [
        {"column": "k", "low": "cast('1' as int)", "high": "cast('9' as int)", "nulls": False},
        {"column": "s", "low": "'a'", "high": "'z'", "nulls": True},
    ]


def test_keys_without_a_value() -> None:
    _, found = look([3, 0], [None, None, 3], aggregate())
    assert found["bounds"][0] == {"column": "k", "low": None, "high": None, "nulls": True}


def test_changes_that_cancel_out() -> None:
    assert look([0, 0], [None, None, 0], aggregate())[1]["publish"] == "nothing"


def test_answers_as_text() -> None:
    """Over thrift a number may be a Decimal or a text."""
    _, found = look(["0", "2"], ["1", "9", "1"], aggregate())
    assert (found["publish"], found["doubts"]) == ("nothing", 2)
    assert found["bounds"][0]["nulls"]


@pytest.mark.parametrize(
    ("type_", "asked"),
    [
        ("int", True),
        ("decimal(10,2)", True),
        ("date", True),
        ("string", True),
        ("double", False),
        ("timestamp", False),
        ("boolean", False),
        ("array<int>", False),
        ("string collate UNICODE", False),
    ],
)
def test_types_with_exact_bounds(type_: str, asked: bool) -> None:
    given = job("keyed", ["k"], {"x": "other"})
    given["columns"] = [{"name": "k", "type": type_, "expression": "`k`"}, *columns("x")]
    dbt, found = look([1, 0], ["1", "9", 0], given)
    assert bool(found["bounds"]) is asked
    assert dbt.engine.sql("read_staged_changes").count("cast(min(") == int(asked)


def test_a_dry_run_does_not_know() -> None:
    dbt, found = look([1, 1], ["1", "9", 0], aggregate(dry_run=True))
    assert (found["doubts"], found["bounds"], dbt.engine.log) == (0, [], [])


@pytest.mark.parametrize("bounds", [["\ufffd(", "b", 0], ["a", "b\ufffd", 0]])
def test_bytes_that_are_no_text_are_no_bound(bounds: list[Any]) -> None:
    """The client has another text for them, and rows would lie outside."""
    _, found = look([3, 0], bounds, aggregate())
    assert found["bounds"] == []
