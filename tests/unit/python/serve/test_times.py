"""Backoff, jitter, cron and windows without starts."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from dbt_mview.schedule import micros
from dbt_mview.serve.times import MINUTE, SECOND, Hold, Holds, backoff, jitter, next_cron


def at(text: str) -> int:
    return micros(datetime.fromisoformat(text).replace(tzinfo=timezone.utc))


def test_retries_double_from_five_seconds_to_five_minutes() -> None:
    waits = [backoff(tries) // SECOND for tries in range(1, 10)]
    assert waits == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    assert backoff(1_000_000) == 5 * MINUTE
    assert backoff(3, SECOND, MINUTE) == 4 * SECOND


def test_jitter_adds_up_to_a_tenth_and_is_the_same_again() -> None:
    shares = [jitter(1, f"v{number}", 3) / backoff(3) for number in range(1000)]
    assert 0 <= min(shares) < 0.001 and 0.099 < max(shares) < 0.1
    assert jitter(1, "v", 3) == jitter(1, "v", 3) != jitter(2, "v", 3)
    assert jitter(1, "v", 0) == 0, "what did not fail has none"


def test_cron_is_that_of_the_command() -> None:
    assert next_cron("30 2 * * *", "Europe/Berlin", at("2024-03-30 12:00")) == at(
        "2024-03-31 01:00"
    )
    with pytest.raises(ValueError, match="Bad minute"):
        next_cron("61 * * * *", "UTC", 0)


def test_a_hold_begins_when_it_fires_and_ends_after_its_duration() -> None:
    holds = Holds((Hold("0 3 * * *", "UTC", 60 * MINUTE),))
    begin = at("2024-03-01 03:00")
    end = begin + 60 * MINUTE
    assert holds.until("v", begin - 1) == 0
    assert holds.until("v", begin) == holds.until("v", end - 1) == end
    assert holds.until("v", end) == 0
    tomorrow = end + 24 * 60 * MINUTE
    assert holds.until("v", tomorrow - 1) == tomorrow
    assert holds.until("v", begin) == end, "a clock may go back"


def test_holds_of_some_and_the_last_of_several() -> None:
    some = Hold("0 3 * * *", "UTC", 60 * MINUTE, frozenset({"a"}))
    holds = Holds((some, Hold("30 3 * * *", "UTC", 60 * MINUTE)))
    now = at("2024-03-01 03:15")
    assert holds.until("a", now) == at("2024-03-01 04:00") and holds.until("b", now) == 0
    assert holds.until("a", at("2024-03-01 03:45")) == at("2024-03-01 04:30")


@pytest.mark.parametrize(
    ("cron", "zone", "duration", "told"),
    [
        ("x", "UTC", MINUTE, "cron 'x'"),
        ("0 3 * * *", "No/Where", MINUTE, "time zone 'No/Where' is not known here"),
        ("0 3 * * *", "UTC", 0, "shorter than a second"),
    ],
)
def test_a_bad_hold_is_refused_at_once(cron: str, zone: str, duration: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Hold(cron, zone, duration)
