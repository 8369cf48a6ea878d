"""NEXT_TIME: first, following, counted from when."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import micros
from ..kit.harness import Dbt, Model
from ..kit.log_scenes import LOG, later, log_engine, log_model, logged, run_log
from ..kit.scenes import VIEW, again, change_source, new

# NEXT_TIME of what was never scheduled that way: every rule of CREATE.


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


# NEXT_TIME after a scheduled run: NEXT alone counts.


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


# From when a cron expression counts whose time is left open.


CRON = {"cron": "0 3 * * *", "time_zone_value": "UTC"}


def test_only_cron_is_left_open() -> None:
    dbt = Dbt()
    assert dbt("_counted_from", None, 5) is None
    assert dbt("_counted_from", {"every": 60}, 5) == {"every": 60}


def test_by_the_clock_of_the_engine() -> None:
    """A minute before the clock was read is a minute before, whatever the client's clock says."""
    dbt = Dbt()
    clock = dbt("_clock")
    found = dbt("_counted_from", CRON, clock["client"] - 60_000_000)
    assert found == {**CRON, "after": clock["now"] - 60_000_000}


def test_of_a_view() -> None:
    """From the begin of its refresh; a run before its time, and one that fails, leave it."""
    dbt = new(Model(config={"schedule": CRON}))
    assert dbt.run()[0].status == "success"
    row = dict(dbt.engine.states[VIEW])
    assert row["schedule"].keys() == {*CRON, "after"} and row["next_time"] is None
    dbt = again(dbt)
    change_source(dbt)
    assert dbt.run()[0].status == "success"
    assert dbt.engine.states[VIEW]["schedule"] == row["schedule"]
    dbt = again(dbt)
    change_source(dbt)
    dbt.engine.minute += 5
    dbt.engine.states[VIEW]["next_time"] = micros(dbt.engine.minute) - 1
    assert dbt.run()[0].status == "success"
    later = dbt.engine.states[VIEW]
    assert later["next_time"] is None and later["schedule"] != row["schedule"]


def test_of_a_log() -> None:
    """From the begin of its purge."""
    dbt = logged(2, log_model(purge=CRON))
    run_log(dbt)
    row = log_engine(dbt).log_rows[LOG]
    first = dict(row)
    assert first["schedule"].keys() == {*CRON, "after"} and first["next_time"] is None
    dbt = later(dbt)
    run_log(dbt)
    assert row["schedule"] == first["schedule"], "its time has not come"
    dbt.engine.minute += 5
    row["next_time"] = micros(dbt.engine.minute) - 1
    run_log(later(dbt))
    assert row["schedule"]["after"] > first["schedule"]["after"] and row["next_time"] is None
    assert len(log_engine(dbt).purges) == 1
