"""What the properties of a log say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt
from ...kit.lexer import strings

START = {"version": 5, "commit_time": micros(5)}


def at(version: int, minute: float) -> dict[str, Any]:
    return {"version": version, "commit_time": micros(minute)}


@pytest.mark.parametrize(
    ("upto", "start"),
    [(at(7, 7), at(7, 7)), (at(5, 7), START), (at(4, 4), START), (None, START),
     (at(9, 4), at(9, 5))],
)  # fmt: skip
def test_start(upto: Any, start: Any) -> None:
    """Versions say what is later; its time is never before that of the log's own beginning."""
    found = {"base": "c.s.b", "began": START, "start": START, "gap": "g"}
    Dbt()("_raise_start", found, upto)
    assert found["start"] == start
    assert found["gap"] == ("g" if start == START else "what came before was purged")


@pytest.mark.parametrize(
    ("note", "counts"),
    [
        ({"base": "c.s.b", "began": START}, True),
        ({"base": "c.s.b"}, True),
        ({"base": "c.s.b", "began": at(5, 6)}, False),
        ({"base": "c.s.other", "began": START}, False),
        ({}, False),
    ],
)
def test_whose_note_it_is(note: Any, counts: bool) -> None:
    found = {"base": "c.s.b", "began": START}
    assert Dbt()("_note_of", found, json.dumps(note)) == (note if counts else {})
    assert Dbt()("_note_of", found, None) == {}


def test_the_note_says_no_more_than_needed() -> None:
    coverage = {"base": "c.s.b", "began": START, "captured": at(9, 9)}
    sql = Dbt()("_purged_property", coverage, {**at(7, 7), "dependents": [1]})
    key, value = strings(sql)
    assert key == "dbt_mview.purged"
    assert json.loads(value) == {"base": "c.s.b", "began": START, "start": at(7, 7)}
