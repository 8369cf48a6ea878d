"""What a session's settings make of a query."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt
from ..scenes import VIEW, again, built


@pytest.mark.parametrize(
    ("zone", "ansi", "words"),
    [
        ("UTC", True, "UTC"),
        ("Etc/UTC", True, "UTC"),
        ("GMT", False, "UTC without ANSI mode"),
        ("Europe/Berlin", True, "Europe/Berlin"),
        ("America/New_York", False, "America/New_York without ANSI mode"),
    ],
)
def test_words(zone: str, ansi: bool, words: str) -> None:
    assert Dbt()("_session_words", zone, ansi) == words


@pytest.mark.parametrize(
    ("spec", "zone", "change"),
    [
        (None, "UTC", None),
        ({}, "UTC", None),
        ({"session": "UTC"}, "Etc/UTC", None),
        ({"session": "UTC"}, "Europe/Berlin", "UTC -> Europe/Berlin"),
    ],
)
def test_change(spec: Any, zone: str, change: str | None) -> None:
    dbt = Dbt()
    dbt.engine.zone = zone
    assert dbt("_session_change", {"spec": spec}) == change


def in_another_zone() -> Dbt:
    """The next invocation after a refresh, by a session of other settings."""
    dbt = built()
    assert dbt.engine.states[VIEW]["spec"]["session"] == "UTC"
    dbt.engine.zone, dbt.engine.number = "Europe/Berlin", "string"
    return dbt


def test_it_is_computed_anew_and_once() -> None:
    dbt = in_another_zone()
    (result,) = dbt.run()
    there = "UTC -> Europe/Berlin without ANSI mode"
    assert result.message == f"COMPLETE v1, 3 rows: SESSION_CHANGED: {there}"
    assert again(dbt).run()[0].message.startswith("SKIP")


def test_it_cannot_be_verified() -> None:
    dbt = in_another_zone()
    printed = dbt.operation("mview_verify", view="totals")
    assert "not verifiable: session UTC -> Europe/Berlin" in "\n".join(printed)
    assert "read_verify" not in dbt.engine.steps


def test_the_clock_tells_the_session() -> None:
    dbt = in_another_zone()
    assert dbt("_clock")["session"] == "Europe/Berlin without ANSI mode"
