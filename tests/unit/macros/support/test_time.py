"""Times of the engine, whatever way they come."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ...kit.engine import Engine, micros
from ...kit.harness import Dbt

UTC = datetime.timezone.utc
NOON = datetime.datetime(2024, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (NOON, micros(720)),
        (NOON + datetime.timedelta(microseconds=1), micros(720) + 1),
        (NOON.astimezone(datetime.timezone(datetime.timedelta(hours=5))), micros(720)),
        ("2024-03-01 12:00:00+00:00", micros(720)),
        ("2024-03-01 12:00:00.000001+00:00", micros(720) + 1),
    ],
)
def test_micros(value: Any, expected: int | None) -> None:
    assert Dbt()("_micros", value) == expected


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-03-01", "2024-03-01T00:00:00.000000"),
        ("2024-03-01 12:00", "2024-03-01T12:00:00.000000"),
        ("2024-03-01 12:00:00", "2024-03-01T12:00:00.000000"),
        ("2024-03-01 12:00:00.1", "2024-03-01T12:00:00.100000"),
        ("2024-03-01T12:00:00.123Z", "2024-03-01T12:00:00.123000+00:00"),
        ("2024-03-01 12:00:00.123456789 +0530", "2024-03-01T12:00:00.123456+05:30"),
        (" 2024-03-01 12:00:00-08 ", "2024-03-01T12:00:00.000000-08:00"),
        ("1 March 2024", "1 March 2024"),
    ],
)
def test_texts_of_times_get_the_form_that_every_python_reads(text: str, iso: str) -> None:
    assert Dbt()("_iso_form", text) == iso


@pytest.mark.parametrize(
    ("zone", "hour"), [("UTC", 12), ("Europe/Berlin", 13), ("America/New_York", 7)]
)
def test_times_without_a_zone_are_those_of_the_driver(zone: str, hour: int) -> None:
    engine = Engine()
    engine.zone = engine.shown_in = zone
    at = datetime.datetime(2024, 3, 1, hour)
    assert Dbt(engine)("_micros", at) == micros(720)
    assert Dbt(engine)("_micros", str(at)) == micros(720)


@pytest.mark.parametrize(
    ("zone", "minutes"),
    [
        ("+02:00", 120),
        ("-08:00", -480),
        ("GMT+2", 120),
        ("UTC+05:30", 330),
        ("UT-0330", -210),
        ("+01:00:00", 60),
        ("Z", 0),
        ("GMT", 0),
        ("America/Lima", -300),
    ],
)
def test_zones_are_regions_or_distances(zone: str, minutes: int) -> None:
    at = Dbt()("_zone", zone).localize(datetime.datetime(2024, 3, 1, 12))
    assert at.utcoffset() == datetime.timedelta(minutes=minutes)


def test_an_hour_that_there_is_twice() -> None:
    """The first one, so that no commit lies in the future and is left unread."""
    engine = Engine()
    engine.zone = engine.shown_in = "Europe/Berlin"
    at = datetime.datetime(2026, 10, 25, 2, 30)
    first = datetime.datetime(2026, 10, 25, 0, 30, tzinfo=datetime.timezone.utc)
    assert Dbt(engine)("_micros", at) == first.timestamp() * 1_000_000


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (micros(720), "2024-03-01 12:00:00Z"), (0, "1970-01-01 00:00:00Z")],
)
def test_iso(value: int | None, text: str) -> None:
    assert Dbt()("_iso", value) == text
