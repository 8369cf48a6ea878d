"""A statement that is run again after a conflict."""

from __future__ import annotations

from collections.abc import Callable

from ..harness import Dbt
from ..parsing import split


def test_retry_on_conflict(golden: Callable[[str, str], None]) -> None:
    golden(
        "retry_on_conflict", Dbt()("_retry_on_conflict_sql", "delete from t where a = 'x;'").strip()
    )


def test_the_statement_is_tried_inside_and_at_last_outside_the_handler() -> None:
    pieces = split(Dbt()("_retry_on_conflict_sql", "delete from t where a = 'x;'").strip())
    assert pieces.count("delete from t where a = 'x;'") == 2
