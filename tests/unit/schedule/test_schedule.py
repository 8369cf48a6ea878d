"""The forms of a schedule: durations, expressions, cron."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from cronsim import CronSim, CronSimError

from ..kit.engine import micros
from ..kit.harness import Dbt, DbtError
from ..kit.parsing import parse

# The forms of a schedule.


ID = "c.s.v"


def schedule(config: Any, key: str = "schedule", lag: Any = None) -> Any:
    return Dbt()("_schedule", ID, config, key, lag)


@pytest.mark.parametrize(
    ("config", "form"),
    [
        (None, None),
        ({}, None),
        ({"every": None}, None),
        ({"every": "2 hours"}, {"every": 7200}),
        ({"cron": " 0  3 * * * "}, {"cron": "0 3 * * *", "time_zone_value": "UTC"}),
        (
            {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"},
            {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"},
        ),
        ({"on_update": True}, {"on_update": True, "at_most_every": None}),
        (
            {"at_most_every": "5 minutes", "on_update": True},
            {"on_update": True, "at_most_every": 300},
        ),
        ({"next": " now() "}, {"start_with": None, "next": "now()"}),
        ({"start_with": "now()"}, {"start_with": "now()", "next": None}),
        ({"next": "b", "start_with": "a"}, {"start_with": "a", "next": "b"}),
    ],
)
def test_forms(config: Any, form: Any) -> None:
    assert schedule(config) == form


def test_target_lag_is_a_form_of_its_own() -> None:
    assert schedule(None, lag="10 minutes") == {"target_lag": 600}
    with pytest.raises(DbtError, match=r"every.* beside target_lag"):
        schedule({"every": "1 day"}, lag="10 minutes")


@pytest.mark.parametrize(
    "config",
    [
        {"every": "1 day", "cron": "0 3 * * *"},
        {"every": "1 day", "next": "now()"},
        {"every": "1 day", "time_zone_value": "UTC"},
        {"at_most_every": "1 day"},
        {"often": True},
    ],
)
def test_one_form_only(config: dict[str, Any]) -> None:
    with pytest.raises(DbtError, match=r"c\.s\.v: schedule is {.*Give one of {cron, time_zone"):
        schedule(config)


@pytest.mark.parametrize(
    ("config", "shown"), [("0 3 * * *", '"0 3'), (["1 day"], r'\["1 day"\]'), (7, "7")]
)
def test_what_is_no_mapping(config: Any, shown: str) -> None:
    with pytest.raises(DbtError, match=rf"c\.s\.v: schedule is {shown}.*Give one of {{cron, time_"):
        schedule(config)


def test_on_update_is_for_views_and_true() -> None:
    assert schedule({"every": 60}, key="purge") == {"every": 60}
    for key, value in (("purge", True), ("schedule", False)):
        with pytest.raises(DbtError, match=f"{key} says on_update: {value}"):
            schedule({"on_update": value}, key=key)


# Durations.


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (90, 90), ("90", 90), ("1 second", 1), ("10 minutes", 600), ("2 HOURS", 7200),
        ("1 day 12 hours", 129600), ("INTERVAL 1 WEEK", 604800), ("5minutes", 300),
    ],
)  # fmt: skip
def test_durations(value: Any, seconds: int) -> None:
    dbt = Dbt()
    assert dbt("_seconds", "v", "every", value) == seconds
    assert dbt.warned == []


@pytest.mark.parametrize("value", [0, -1, "0 seconds", "-2 hours"])
def test_nothing_runs_without_end(value: Any) -> None:
    dbt = Dbt()
    assert dbt("_seconds", "v", "every", value) == 1
    assert dbt.warned == [f"dbt_mview: v: every is '{value}', taken as 1 second"]


@pytest.mark.parametrize("value", ["", "often", "1.5 hours", "1 month", "hour", "1 hour ago", True])
def test_no_durations(value: Any) -> None:
    with pytest.raises(DbtError, match=r"v: every is '.*'\. Give a duration such as '10 minutes'"):
        Dbt()("_seconds", "v", "every", value)


# Cron expressions are checked; cronsim judges which ones are.


GOOD = [
    "* * * * *", "*/5 0-6 1,15 * 1-5", "0 3 * jan-mar mon", "59 23 31 12 7", "0 0 l * *",
    "0 0 lw * *", "0 0 * * 5#2", "0 0 * * 5l", "5/10 * * * *", "0 0 * * fri#2", "0 0 29 2 *",
    "0 0 31 1/2 *", "0 0 30 2 1", "0 0 1,31 2 *", "0 0 30-31 feb,apr *", "0 0 * * sun-sat",
    "0 0 31 */2 */2", "0 0 */30 2 *", "0 0 31 jul *",
]  # fmt: skip
BAD = [
    "", "* * * *", "61 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "-1 * * * *",
    "5-1 * * * *", "*/0 * * * *", "a * * * *", "1,,2 * * * *", "* * * * mon-", "@daily",
    "0 0 30 2 *", "0 0 31 2,4,6-6,9/2 *", "0 0 30-31 feb */2", "* * * * fri-mon", "* * * * fril",
    "* * * * fri-sun", "* * * dec-jan *", "* * * * 9l", "* * * * 9#2",
]  # fmt: skip


def cron(text: str, zone: str = "UTC") -> object:
    return Dbt()("_cron", "c.s.v", {"cron": text, "time_zone_value": zone})


@pytest.mark.parametrize("text", GOOD)
def test_good(text: str) -> None:
    CronSim(text, datetime(2024, 1, 1, tzinfo=timezone.utc))
    assert cron(text) == {"cron": text, "time_zone_value": "UTC"}


@pytest.mark.parametrize("text", BAD)
def test_bad(text: str) -> None:
    with pytest.raises(CronSimError):
        CronSim(text, datetime(2024, 1, 1, tzinfo=timezone.utc))
    with pytest.raises(DbtError, match=r"c\.s\.v: cron is '.*': .*Give minute, hour"):
        cron(text)


def test_a_range_of_one_value_has_no_steps() -> None:
    """As of Debian's cron; cronsim goes on to the end."""
    found = cron("5-5/2,15-15/3 3 1-12/2 jan-jan/2 mon")
    assert found == {"cron": "5,15 3 1-12/2 jan mon", "time_zone_value": "UTC"}


def test_zone() -> None:
    with pytest.raises(DbtError, match=r"time_zone_value is 'Mars'\. Give a name of the tz"):
        cron("* * * * *", "Mars")


# What expressions are worth.


def test_times() -> None:
    dbt = Dbt()
    dbt.engine.times = {"next": 12}
    found = dbt("_times", {"next": "now() + interval 1 hour -- soon"})
    assert found == {"now": micros(dbt.engine.minute), "start": None, "next": 12}


def test_sql() -> None:
    """A comment in an expression ends with its line; what is not there is NULL."""
    sql = Dbt()("_times_sql", None, "now() + interval 1 hour -- soon").strip()
    assert "cast(null as bigint) as start" in sql
    assert sql.count("(\nnow() + interval 1 hour -- soon\n)") == 4
    assert parse(sql)


# What info says of a plan.


AT = micros(0)
TEXT = "2024-03-01 00:00:00Z"


@pytest.mark.parametrize(
    ("schedule", "values", "text"),
    [
        (None, {}, "-"),
        ({"every": 60}, {}, TEXT),
        ({"every": 60}, {"retry_time": AT, "failures": 3}, f"{TEXT} (retry 3)"),
        ({"cron": "* * * * *"}, {"next_time": None}, "dbt-mview due"),
        ({"start_with": "null", "next": None}, {"next_time": None}, "never"),
        ({"target_lag": 60}, {}, f"on change, from {TEXT}"),
        ({"every": 60}, {"failures": 16}, "BROKEN after 16 failures: mview_reset"),
        (None, {"failures": 17}, "BROKEN after 17 failures: mview_reset"),
        ({"every": 60}, {"failures": 16, "paused_time": AT}, f"paused since {TEXT}"),
    ],
)
def test_next(schedule: Any, values: dict[str, Any], text: str) -> None:
    empty = dict.fromkeys(["retry_time", "failures", "paused_time"])
    row = {"schedule": schedule, "next_time": AT, **empty, **values}
    assert Dbt()("_next_of", row) == text
