"""dbt's line of a log."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.log_scenes import unlogged


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "CAPTURE v7, 12 rows: v4 -> v7"),
        ({"rows": 0}, "CAPTURE v7, 0 rows: v4 -> v7"),
        ({"was": {"version": 7}}, "SKIP nothing changed since v7"),
        ({"empty": "--empty"}, "SKIP --empty captures nothing"),
        ({"gap": "first capture", "was": None}, "START v7: first capture"),
    ],
)
def test_tell(changes: dict[str, Any], line: str) -> None:
    dbt = unlogged()
    job = {"gap": None, "was": {"version": 4}, "coverage": {"captured": {"version": 7}}, "rows": 12}
    dbt("_tell_log", {**job, **changes})
    assert dbt.messages == {"model.shop.orders_log": line}
