"""Moments as users give them."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ..kit.engine import Engine, micros
from ..kit.harness import Dbt, DbtError

LATER = datetime.timezone(datetime.timedelta(hours=1))


def moment(value: Any, zone: str = "UTC") -> int:
    """In a run that began at noon of 1 March 2024."""
    engine = Engine()
    engine.zone = zone
    found: int = Dbt(engine)("_moment", value, "shop.t")
    return found


@pytest.mark.parametrize(
    ("value", "minute"),
    [
        ("2024-03-01 00:20:00", 20),
        ("2024-03-01T00:20", 20),
        (" 2024-03-01 00:20:00.000001 ", 20 + 1 / 60_000_000),
        ("2024-03-01 00:20:00.0000019", 20 + 1 / 60_000_000),
        ("2024-03-01", 0),
        ("2024-02-29", -1440),
        ("2024-03-01 01:20:00+01:00", 20),
        ("2024-03-01 01:20:00 +01", 20),
        ("2024-02-29 19:50:00-0430", 20),
        ("2024-03-01t00:20:00z", 20),
        (datetime.datetime(2024, 3, 1, 0, 20), 20),
        (datetime.datetime(2024, 3, 1, 1, 20, tzinfo=LATER), 20),
        (datetime.date(2024, 3, 1), 0),
        ("-1 second", 720 - 1 / 60),
        ("-90 Seconds", 718.5),
        ("-2 minutes", 718),
        ("-1 hour", 660),
        ("-1 day", -720),
        ("-2 weeks", 720 - 2 * 7 * 1440),
        ("-0 days", 720),
    ],
)  # fmt: skip
def test_what_is_a_time(value: Any, minute: float) -> None:
    assert moment(value) == micros(minute)


@pytest.mark.parametrize(
    "value",
    ["", "yesterday", "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-01", "2024-03-00",
     "2024-03-01 24:00:00", "2024-03-01 00:60", "2024-03-01 00:20:61", "2024-03-01 00:20+19:00",
     "2024-03-01 00:20 Europe/Berlin", "2024-03-01+01:00", "2024-3-1", "20240301", "1 day",
     "- 1 day", "-1.5 days", "-1 month", "-1 day -1 hour", "-1", 5, 1709251200, True, [1],
     "9999-99-99", "0000-01-01", "now()", "2024-03-01 00:20:00'; drop table t"],
)  # fmt: skip
def test_what_is_none(value: Any) -> None:
    with pytest.raises(DbtError) as error:
        moment(value)
    assert str(error.value) == (
        f"dbt_mview: shop.t: '{value}' is no time. Write it as '2026-11-25 14:30:00', with +01:00"
        " behind it if it is not by the session's clock, or as '-1 day': seconds, minutes, hours,"
        " days or weeks before the run began."
    )


@pytest.mark.parametrize(
    ("zone", "value", "utc"),
    [
        ("Europe/Berlin", "2024-03-01 12:00", "2024-03-01 11:00"),
        ("Europe/Berlin", "2024-07-01 12:00", "2024-07-01 10:00"),
        ("Asia/Tokyo", datetime.datetime(2024, 3, 1, 9), "2024-03-01 00:00"),
        ("America/New_York", datetime.date(2024, 3, 1), "2024-03-01 05:00"),
        ("+02:00", "2024-03-01 02:00", "2024-03-01 00:00"),
        ("Europe/Berlin", "2024-03-01 12:00Z", "2024-03-01 12:00"),
        ("Europe/Berlin", "2024-10-27 02:30+02:00", "2024-10-27 00:30"),
        ("Europe/Berlin", "2024-10-27 02:30+01:00", "2024-10-27 01:30"),
        ("Europe/Berlin", "2024-10-27 01:59:59", "2024-10-26 23:59:59"),
        ("Europe/Berlin", "2024-10-27 03:00", "2024-10-27 02:00"),
    ],
)
def test_text_without_a_zone_is_by_the_clock_of_the_session(
    zone: str, value: Any, utc: str
) -> None:
    at = datetime.datetime.fromisoformat(utc).replace(tzinfo=datetime.timezone.utc)
    assert moment(value, zone) == round(at.timestamp() * 1_000_000)


@pytest.mark.parametrize("value", ["2024-10-27 02:30", "2024-03-31 02:30:00"])
def test_an_hour_that_comes_twice_or_never_is_refused(value: str) -> None:
    with pytest.raises(DbtError) as error:
        moment(value, "Europe/Berlin")
    assert str(error.value) == (
        f"dbt_mview: shop.t: '{value}' is no single moment: the clocks of Europe/Berlin change in"
        " that hour. Write its distance from UTC behind it, as in +01:00."
    )


def test_a_run_is_as_of_its_start_unless_a_var_says_another_time() -> None:
    assert Dbt()("_run_as_of") is None
    assert Dbt()("_run_moment") == micros(720)
    given = Dbt(variables={"dbt_mview:as_of": "2024-03-01 00:20"})
    assert given("_run_as_of") == given("_run_moment") == micros(20)
    with pytest.raises(DbtError, match="dbt_mview: the var dbt_mview:as_of: '' is no time"):
        Dbt(variables={"dbt_mview:as_of": ""})("_run_as_of")
