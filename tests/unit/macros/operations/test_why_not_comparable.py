"""Why a view that is not equal to its query may be right all the same."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.scenes import VIEW, built

STALE = "a view that it reads has changed since"


@pytest.mark.parametrize(
    ("bound", "reads", "state", "why"),
    [
        ({}, {}, {}, None),
        ({"unbound": ["a file"]}, {}, {}, "no version of a file"),
        ({}, {"unstable": ["rand"]}, {}, "its result changes by itself: rand"),
        ({"sql": "select now()"}, {}, {}, "its result changes by itself: now"),
        ({}, {}, {"definition_hash": "another"}, STALE),
        ({}, {}, {"definition_hash": None}, None),
    ],
)
def test_reasons(bound: Any, reads: Any, state: Any, why: str | None) -> None:
    dbt = Dbt()
    bound = {"sql": "select 1", "unbound": [], **bound}
    state = {"definition_hash": dbt("_definition_hash", bound), **state}
    reads = {"unstable": [], "cut": False, **reads}
    assert dbt("_why_not_comparable", state, reads, bound) == why


def test_what_a_refresh_notes_is_what_is_compared() -> None:
    dbt = built(Model(sql="select customer, total from shop.orders -- words alone count"))
    assert dbt("_verify_view", VIEW, dbt("_read_state", VIEW), False)[0] == "equal"
    dbt.engine.state(VIEW, definition_hash="another")
    assert dbt("_verify_view", VIEW, dbt("_read_state", VIEW), False) == [
        f"not verifiable: {STALE}", "-", "-"
    ]  # fmt: skip
