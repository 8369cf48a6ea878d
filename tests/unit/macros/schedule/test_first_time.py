"""NEXT_TIME of what was never scheduled that way: every rule of CREATE."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt

NOW = micros(Dbt().engine.minute)
SOON, LATER, SECOND = NOW + 9_999_999, NOW + 10_000_000, 1_000_000


def first(schedule: Any, ready: int | None = None, **times: int) -> Any:
    dbt = Dbt()
    dbt.engine.times = times
    return dbt("_first_time", schedule, ready)


@pytest.mark.parametrize(
    ("start", "next_", "expected"),
    [
        (LATER, NOW + 5, LATER),
        (SOON, NOW + 5, NOW + 5),
        (NOW - 5, NOW + 5, NOW + 5),
        (SOON, None, SOON),
        (None, NOW + 5, NOW + 5),
    ],
)
def test_start_with_goes_first_unless_it_is_near(
    start: int | None, next_: int | None, expected: int
) -> None:
    schedule = {"start_with": start and "a", "next": next_ and "b"}
    times = {"start": start, "next": next_}
    known = {name: time for name, time in times.items() if time is not None}
    assert first(schedule, **known) == expected


def test_what_is_chosen_may_be_null() -> None:
    assert first({"start_with": "null", "next": "b"}, next=NOW + 5) is None
    assert first({"start_with": None, "next": "null"}) is None
    assert first({"start_with": "a", "next": "null"}, start=NOW) is None


def test_no_schedule_and_cron_have_none() -> None:
    dbt = Dbt()
    assert dbt("_first_time", None) is None
    assert dbt("_first_time", {"cron": "* * * * *", "time_zone_value": "UTC"}) is None
    assert dbt.engine.log == []


def test_pauses() -> None:
    assert first({"every": 60}) == NOW + 60 * SECOND
    assert first({"on_update": True, "at_most_every": 60}) == NOW + 60 * SECOND
    assert first({"on_update": True, "at_most_every": None}) == NOW
    assert first({"target_lag": 60}, ready=NOW - 7) == NOW - 7 + 60 * SECOND
    assert first({"target_lag": 60}) == NOW + 60 * SECOND
