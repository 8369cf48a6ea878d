"""What changes decide by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


def shape(strategy: str = "aggregate", *values: str, lost: bool = False, **other: Any) -> Any:
    changes = [{"deletes": False}, {"deletes": lost}]
    return {"strategy": strategy, "values": dict(enumerate(values)), "changes": changes, **other}


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("value", ["count_all", "count", "sum", "wide_sum", "min", "max", "other"])
def test_values(value: str, lost: bool) -> None:
    """An extreme only where no row went: it may have been the extreme."""
    decided = value != "other" and not (lost and value in ["min", "max"])
    assert Dbt()("_is_added_up", shape("aggregate", "count_all", value, lost=lost)) is decided
    assert Dbt()("_is_added_up", shape("aggregate", value, "sum", lost=lost)) is decided


@pytest.mark.parametrize("strategy", ["keyed", "append", "nothing"])
def test_other_strategies_add_nothing_up(strategy: str) -> None:
    assert Dbt()("_is_added_up", shape(strategy)) is False


@pytest.mark.parametrize(
    ("found", "alone"),
    [
        (shape("append"), True),
        (shape("append", lost=True), False),
        ({"strategy": "append", "changes": [{"deletes": False}]}, True),
        (shape("aggregate", "sum"), True),
        (shape("aggregate", "min"), True),
        (shape("aggregate", "sum", lost=True), False),
        (shape("aggregate", "other"), False),
        (shape("keyed"), False),
        (shape("aggregate", "sum", emptied={"a": ["b"], "b": ["a"]}), True),
        (shape("aggregate", "sum", emptied={"a": [], "b": []}), True),
    ],
)
def test_new_rows_alone(found: Any, alone: bool) -> None:
    """In two joined tables as well: new orders come with their lines."""
    assert Dbt()("_takes_in_new_rows", found) is alone
