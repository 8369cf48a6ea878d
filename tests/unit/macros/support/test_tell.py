"""dbt's line of a model."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

JOB = {
    "skip": None,
    "deferred": False,
    "method": "complete",
    "reason": "orders v1 -> v2",
    "commit": {"version": 4, "rows": 12},
}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "COMPLETE v4, 12 rows: orders v1 -> v2"),
        ({"skip": "nothing changed since orders v2"}, "SKIP nothing changed since orders v2"),
        (
            {"commit": None, "spec": {"refresh_group": "g"}},
            "STAGED COMPLETE for refresh_group g: orders v1 -> v2",
        ),
        ({"deferred": True}, "DEFERRED v4, 12 rows: orders v1 -> v2"),
    ],
)
def test_tell(changes: Any, line: str) -> None:
    dbt = Dbt()
    dbt("_tell", {**JOB, **changes})
    assert dbt.messages["model.shop.totals"] == line
