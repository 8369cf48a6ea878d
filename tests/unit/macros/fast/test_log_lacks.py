"""Columns that a log leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

READS = {"plan": "Relation c.s.facts[id#1,k#2,amt#3] parquet"}


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
    assert Dbt()("_log_lacks", READS, change) == reason
    assert Dbt()("_log_lacks", READS, {**change, "log": None}) is None


@pytest.mark.parametrize("used", [["k"], None, ["id"]])
def test_chars_that_a_log_keeps_as_texts(used: list[str] | None) -> None:
    """'a' is 'a ' where it is a CHAR, and is not where it is a text."""
    log = {"name": "`c`.`s`.`facts_log`", "columns": named("id k")}
    change: dict[str, Any] = {"log": log, "columns": named("id k"), "used": used}
    call = "static_invoke(CharVarcharCodegenUtils.readSidePadding(k#9, 5))"
    found = Dbt()("_log_lacks", {"plan": f"Project [id#1, {call} AS k#2]\n+- {READS}"}, change)
    reason = "CHANGE_DATA_UNAVAILABLE: s.facts_log keeps k, a CHAR, as a text"
    assert found == (None if used == ["id"] else reason)
