"""The engine's clock, and the zone in which its times come."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ...kit.engine import Engine, micros
from ...kit.harness import Dbt, DbtError

UTC = datetime.timezone.utc


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
