"""What is kept of how long refreshes took."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.scenes import VIEW, built, change_source, with_feed

KEYED = {"strategy": "keyed"}
TOOK = {"last": [["fast", 7, 1.5]], "complete": None, "first": 30.0}


def job(**changes: Any) -> dict[str, Any]:
    known = {"method": "fast", "reason": "r", "started": 1_000_000, "ended": 3_504_000}
    known.update(deferred=False, fast=KEYED, changes=[{"rows": 2}, {"rows": 3}], **changes)
    return known


def with_time(took: Any = None, **changes: Any) -> Any:
    spec = {"stored": {"refresh": "auto", "took": took}}
    return Dbt()("_with_time", spec, job() | changes)


def test_the_newest_comes_first() -> None:
    found = with_time(TOOK)
    assert found == {
        "refresh": "auto",
        "took": {
            "last": [["fast", 5, 2.5], ["fast", 7, 1.5]],
            "complete": None,
            "first": 30.0,
        },
    }
    again = Dbt()("_with_time", {"stored": found}, job(started=3_404_000))
    assert again["took"]["last"] == [["fast", 5, 0.1], *found["took"]["last"]]


def test_what_complete_took_is_kept_beside() -> None:
    complete: dict[str, Any] = {"method": "complete", "fast": None}
    found = with_time(TOOK, **complete)["took"]
    assert found == {**TOOK, "last": [["complete", 0, 2.5], ["fast", 7, 1.5]], "complete": 2.5}
    first = with_time(None, **complete, reason="first build in place of a view")["took"]
    assert first == {"last": [["first", 0, 2.5]], "complete": None, "first": 2.5}


def test_twenty_are_kept() -> None:
    many = {**TOOK, "last": [["fast", 1, 1.0]] * 19 + [["complete", 0, 4.0]]}
    found = with_time(many)["took"]
    assert found["last"] == [["fast", 5, 2.5], *[["fast", 1, 1.0]] * 19]
    assert (found["complete"], found["first"]) == (4.0, 30.0)
    assert with_time(found)["took"]["complete"] == 4.0


@pytest.mark.parametrize(
    "changes",
    [
        {"fast": {"strategy": "nothing"}},
        {"changes": [{"rows": 2}, {"rows": None}]},
        {"fast": None, "method": "complete", "deferred": True},
    ],
    ids=["no changed row", "nobody knows how many", "no build"],
)
def test_what_says_nothing(changes: dict[str, Any]) -> None:
    assert with_time(TOOK, **changes) == {"refresh": "auto", "took": TOOK}


def test_a_refresh_without_a_spec_for_state() -> None:
    assert Dbt()("_with_time", {"stored": None}, job()) is None


def took(dbt: Dbt) -> Any:
    """What state knows."""
    return dbt.engine.states[VIEW]["spec"]["took"]


def test_state_keeps_it() -> None:
    """Also of FAST that left no commit; a skip changes nothing, another query begins anew."""
    dbt = with_feed(built())
    assert took(dbt) == {"last": [["first", 0, 0.0]], "complete": None, "first": 0.0}
    change_source(dbt)
    dbt.run()
    two = took(dbt)
    assert two["last"] == [["fast", 10, 0.0], ["first", 0, 0.0]]
    dbt.run()
    assert took(dbt) == two
    Dbt(dbt.engine, Model(sql="select customer, 1 as total from shop.orders")).run()
    assert took(dbt)["last"] == [["complete", 0, 0.0]]
