"""What speaks against an exact way all the same."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

DBT = Dbt()
PLAIN = {"mview_id": "c.s.v", "unique_key": [], "layout": {"partition_by": []}}
JOB: dict[str, Any] = {"columns": []}


def why(strategy: str, keys: list[str], unique: list[str], *, one_row: bool = True) -> Any:
    spec = {**PLAIN, "unique_key": unique, "refresh": "fast"}
    shape = {"strategy": strategy, "keys": keys, "one_row": one_row, "changes": []}
    return DBT("_why_not_fast", spec, JOB, shape, False)


@pytest.mark.parametrize(
    ("strategy", "keys", "unique", "one_row", "fine"),
    [
        ("aggregate", ["k"], [], True, True),
        ("aggregate", ["K", "s"], ["k", "S"], True, True),
        ("aggregate", ["k"], ["k", "n"], True, True),
        ("aggregate", ["k", "s"], ["k"], True, True),
        ("aggregate", ["k", "s"], ["k", "n"], True, False),
        ("aggregate", ["k"], ["n"], True, False),
        ("aggregate", [], ["n"], True, True),
        ("keyed", ["k"], ["k"], False, True),
        ("keyed", ["K"], ["k", "n"], False, True),
        ("keyed", ["k", "s"], ["k"], False, False),
        ("keyed", ["k"], ["n"], False, False),
        ("keyed", [], ["n"], False, False),
        ("keyed", ["k"], ["k"], True, True),
        ("append", ["k", "s"], ["n"], False, True),
    ],
)
def test_unique_key(strategy: str, keys: Any, unique: Any, one_row: bool, fine: bool) -> None:
    found = why(strategy, keys, unique, one_row=one_row)
    assert found == (None if fine else f"UNIQUE_KEY_OVER_ALL_ROWS: {', '.join(unique)}")


def test_only_auto_asks_what_it_costs() -> None:
    spec = {**PLAIN, "refresh": "auto"}
    change = {"relation": "c.s.t", "rows": None, "deletes": True}
    shape = {"strategy": "append", "keys": ["k"], "one_row": False, "changes": [change]}
    costly = "TOO_MANY_CHANGES: s.t was overwritten"
    assert DBT("_why_not_fast", spec, JOB, shape, False) == costly
    assert DBT("_why_not_fast", spec, JOB, shape, True) is None
    assert DBT("_why_not_fast", {**spec, "refresh": "fast"}, JOB, shape, False) is None


@pytest.mark.parametrize("refresh", ["auto", "fast"])
def test_deletion_vectors_that_delta_cannot_read(refresh: str) -> None:
    """FAST is tried where the user insists: not all that is large fails."""
    spec = {**PLAIN, "refresh": refresh}
    change = {"relation": "c.s.t", "rows": 1, "large_vectors": True}
    shape = {"strategy": "append", "keys": ["k"], "one_row": False, "changes": [change]}
    reason = "DELETION_VECTORS_TOO_LARGE: s.t" if refresh == "auto" else None
    assert DBT("_why_not_fast", spec, JOB, shape, False) == reason
