"""What the properties of a log say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..engine import micros
from ..harness import Dbt
from ..lexer import strings

START = {"version": 5, "commit_time": micros(5)}


def at(version: int, minute: float) -> dict[str, Any]:
    return {"version": version, "commit_time": micros(minute)}


@pytest.mark.parametrize(
    ("purged", "base", "raised"),
    [
        (at(7, 7), "c.s.b", True),
        (at(5, 7), "c.s.b", False),
        (at(4, 4), "c.s.b", False),
        (at(7, 7), "c.s.other", False),
        (at(9, 4), "c.s.b", False),
    ],
)
def test_start(purged: Any, base: str, raised: bool) -> None:
    """The note of a purge before the log began anew, or of another base, does not count."""
    found = {"base": "c.s.b", "start": START, "gap": "g"}
    Dbt()("_raise_start", found, {"base": base, "start": purged})
    assert found["start"] == found["captured"] == (purged if raised else START)
    assert found["gap"] == ("what came before was purged" if raised else "g")


def test_no_purge() -> None:
    found = {"base": "c.s.b", "start": START, "gap": "g"}
    Dbt()("_raise_start", found, {})
    assert found == {"base": "c.s.b", "start": START, "gap": "g", "captured": START}


def test_the_note_says_no_more_than_needed() -> None:
    sql = Dbt()("_purged_property", "c.s.b", {**at(7, 7), "dependents": [1]})
    key, value = strings(sql)
    assert key == "dbt_mview.purged" and json.loads(value) == {"base": "c.s.b", "start": at(7, 7)}
