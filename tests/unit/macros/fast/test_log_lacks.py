"""Columns that a log leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt


def named(text: str) -> list[dict[str, str]]:
    return [{"name": name, "type": "int"} for name in text.split()]


@pytest.mark.parametrize(
    ("held", "used", "lacking"),
    [
        ("id k", ["k"], None),
        ("id k", ["K"], None),
        ("id k", ["k", "amt"], "amt"),
        ("id k", None, "amt"),
        ("id k amt", None, None),
    ],
)
def test_log_lacks(held: str, used: list[str] | None, lacking: str | None) -> None:
    log = {"name": "`c`.`s`.`facts_log`", "columns": named(held)}
    change: dict[str, Any] = {"log": log, "columns": named("id k amt"), "used": used}
    reason = lacking and f"CHANGE_DATA_UNAVAILABLE: s.facts_log leaves out {lacking}"
    assert Dbt()("_log_lacks", change) == reason
    assert Dbt()("_log_lacks", {**change, "log": None}) is None
