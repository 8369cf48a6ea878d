"""NEXT_TIME after a scheduled run: NEXT alone counts."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt

NOW = micros(Dbt().engine.minute)
MINUTE = 60_000_000


def following(dbt: Dbt, schedule: Any, last: int = NOW, **times: int) -> Any:
    dbt.engine.times = times
    return dbt("_following_time", "v", schedule, last)


def test_next_alone() -> None:
    dbt = Dbt()
    schedule = {"start_with": "raise_error('no')", "next": "b"}
    assert following(dbt, schedule, next=NOW + 5) == NOW + 5
    assert "raise_error" not in dbt.engine.log[-1].sql, "START WITH is not even evaluated"
    assert following(dbt, {"start_with": None, "next": "null"}) is None
    assert dbt.warned == []


def test_start_with_alone_ends_it() -> None:
    dbt = Dbt()
    assert following(dbt, {"start_with": "a", "next": None}, start=NOW + 5) is None
    assert dbt.engine.log == []


def test_a_time_that_is_over_is_told() -> None:
    dbt = Dbt()
    assert following(dbt, {"start_with": None, "next": "b"}, next=NOW) == NOW
    assert "v: `next` evaluates to" in dbt.warned[0] and "due again at once" in dbt.warned[0]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (NOW, NOW + MINUTE),
        (NOW - 1, NOW - 1 + MINUTE),
        (NOW - MINUTE, NOW + MINUTE),
        (NOW - 10 * MINUTE - 7, NOW + MINUTE - 7),
        (NOW + 5, NOW + 5 + MINUTE),
    ],
)
def test_an_interval_does_not_drift_and_leaves_out_the_missed(last: int, expected: int) -> None:
    assert following(Dbt(), {"every": 60}, last) == expected


def test_others() -> None:
    dbt = Dbt()
    assert following(dbt, {"cron": "* * * * *", "time_zone_value": "UTC"}) is None
    assert following(dbt, {"on_update": True, "at_most_every": 60}) == NOW + MINUTE
