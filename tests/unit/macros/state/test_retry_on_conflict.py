"""A statement that is run again after a conflict."""

from __future__ import annotations

from collections.abc import Callable

from ...kit.harness import Dbt
from ...kit.parsing import split


def test_retry_on_conflict(golden: Callable[[str, str], None]) -> None:
    golden(
        "retry_on_conflict", Dbt()("_retry_on_conflict_sql", "delete from t where a = 'x;'").strip()
    )


def test_the_statement_is_tried_at_first_within_the_loop_and_at_last_without_a_handler() -> None:
    pieces = split(Dbt()("_retry_on_conflict_sql", "delete from t where a = 'x;'").strip())
    assert pieces.count("delete from t where a = 'x;'") == 3


def test_without_a_conflict_nothing_else_is_evaluated() -> None:
    text = Dbt()("_retry_on_conflict_sql", "delete from t").strip()
    assert text.endswith("    end;\n    delete from t;\nend")
