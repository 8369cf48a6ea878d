"""Cron expressions are checked; cronsim judges which ones are."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from cronsim import CronSim, CronSimError

from ...kit.harness import Dbt, DbtError

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
