"""Times of the engine, its clock, and the zones of both."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ..kit.engine import Engine, micros
from ..kit.harness import Dbt, DbtError
from ..kit.scenes import VIEW, again, built

# Times of the engine, whatever way they come.


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


# The engine's clock, and the zone in which its times come.


def test_the_clock_is_read_once() -> None:
    dbt = Dbt()
    clock = {"now": micros(720), "zone": "UTC", "ansi": False, "shown_in": "client"}
    first = dict(dbt("_clock"))
    assert isinstance(first.pop("client"), int) and first == clock
    assert dbt("_clock") is dbt("_clock")
    assert dbt.engine.steps == ["read_clock"]


def test_engine_time() -> None:
    dbt = Dbt()
    clock = dbt("_clock")
    assert dbt("_engine_time", clock["client"] + 5) == clock["now"] + 5


def test_known_times() -> None:
    """A day of winter and one of summer, so that clocks that move are told from others."""
    known = Dbt()("_known_times", micros(720))
    assert [datetime.datetime.fromtimestamp(at / 1_000_000, UTC).isoformat() for at in known] == [
        "2024-01-01T12:00:00+00:00",
        "2024-07-01T12:00:00+00:00",
    ]


@pytest.mark.parametrize(
    ("mine", "session", "driver", "found"),
    [
        ("UTC", "UTC", "UTC", "client"),
        ("Asia/Tokyo", "UTC", "Asia/Tokyo", "client"),
        ("Asia/Tokyo", "America/New_York", "America/New_York", "America/New_York"),
        ("Asia/Tokyo", "America/New_York", "UTC", "UTC"),
        # The same in winter, another in summer.
        ("America/Phoenix", "America/Denver", "America/Denver", "America/Denver"),
        ("America/Denver", "America/Phoenix", "America/Denver", "client"),
        ("Asia/Tokyo", "+05:30", "Asia/Kolkata", "+05:30"),
    ],
)
def test_the_zone_that_explains_what_came(
    client: Any, mine: str, session: str, driver: str, found: str
) -> None:
    client(mine)
    engine = Engine()
    engine.zone, engine.shown_in = session, driver
    dbt = Dbt(engine)
    assert dbt("_clock")["shown_in"] == found
    assert dbt("_micros", engine.shows(micros(720))) == micros(720)


def test_no_zone_explains_what_came(client: Any) -> None:
    client("Asia/Tokyo")
    engine = Engine()
    engine.zone, engine.shown_in = "UTC", "America/New_York"
    rule = r"2024-03-01 12:00:00Z as 2024-03-01 07:00:00, which is neither .*\(UTC\)"
    with pytest.raises(DbtError, match=rf"{rule}.*spark.sql.session.timeZone"):
        Dbt(engine)("_clock")


@pytest.mark.parametrize(
    "shown",
    [
        lambda at: at.replace(tzinfo=UTC),
        lambda at: f"{at}+00:00",
    ],
)
def test_times_that_come_with_their_zone(shown: Any, client: Any) -> None:
    client("Asia/Tokyo")
    at = datetime.datetime(2024, 3, 1, 12)
    assert Dbt()("_shown_in", "America/New_York", [[micros(720), shown(at)]]) is None


def test_fractions_may_be_dropped(client: Any) -> None:
    client("Asia/Tokyo")
    at = datetime.datetime(2024, 3, 1, 12)
    assert Dbt()("_shown_in", "America/Lima", [[micros(720) + 999_999, str(at)]]) == "UTC"


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 12), ("Asia/Tokyo", 21), ("client", 7)])
def test_local(client: Any, zone: str, hour: int) -> None:
    client("America/New_York")
    assert Dbt()("_local", micros(720), zone) == datetime.datetime(2024, 3, 1, hour)


# A query means something else in another time zone.


def in_zone(zone: str, dbt: Dbt | None = None) -> Dbt:
    dbt = dbt or Dbt()
    dbt.engine.zone = zone
    return dbt


@pytest.mark.parametrize(
    ("zone", "name"),
    [("UTC", "UTC"), ("Etc/UTC", "UTC"), ("GMT", "UTC"), ("Europe/Berlin", "Europe/Berlin")],
)
def test_the_names_of_utc_are_one(zone: str, name: str) -> None:
    assert in_zone(zone)("_time_zone") == name


@pytest.mark.parametrize(
    ("spec", "zone", "change"),
    [
        (None, "UTC", None),
        ({}, "UTC", None),
        ({"time_zone": "UTC"}, "Etc/UTC", None),
        ({"time_zone": "UTC"}, "Europe/Berlin", "UTC -> Europe/Berlin"),
    ],
)
def test_change(spec: Any, zone: str, change: str | None) -> None:
    assert in_zone(zone)("_zone_change", {"spec": spec}) == change


def test_it_is_computed_anew_and_once() -> None:
    dbt = in_zone("Europe/Berlin", built())
    assert dbt.engine.states[VIEW]["spec"]["time_zone"] == "UTC"
    (result,) = dbt.run()
    assert result.message == "COMPLETE v1, 3 rows: TIME_ZONE_CHANGED: UTC -> Europe/Berlin"
    assert again(dbt).run()[0].message.startswith("SKIP")


def test_it_cannot_be_verified() -> None:
    dbt = in_zone("Europe/Berlin", built())
    printed = dbt.operation("mview_verify")
    assert "not verifiable: time zone UTC -> Europe/Berlin" in "\n".join(printed)
    assert "read_verify" not in dbt.engine.steps
