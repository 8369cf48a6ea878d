"""What becomes of a plan with each kind of run."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Engine, micros
from ...kit.harness import Dbt, Model
from ...kit.scenes import OTHER, VIEW, again, built, change_source, new

HOURLY = {"schedule": {"every": "1 hour"}}
HOUR = 3_600_000_000


def row(dbt: Dbt) -> dict[str, Any]:
    return dbt.engine.states[VIEW]


def scheduled(**config: Any) -> Dbt:
    """The next invocation after the first build of a view with this config."""
    dbt = new(Model(config=config))
    assert dbt.run()[0].status == "success"
    return again(dbt)


def come(dbt: Dbt) -> int:
    """The time of the plan comes. Returns it."""
    row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    return micros(dbt.engine.minute) - 1


def test_two_runs_at_once_move_it_once() -> None:
    """The other one published, and moved the plan, before this one tried for the lock."""
    dbt = scheduled(**HOURLY)
    last = come(dbt)
    change_source(dbt)

    def quicker(_: str) -> None:
        dbt.engine.on.clear()
        other = Dbt(dbt.engine, *dbt.models, invocation_id=OTHER)
        assert other.run()[0].status == "success"

    dbt.engine.on["acquire"] = quicker
    assert "SKIP" in dbt.run()[0].message
    assert row(dbt)["next_time"] == last + HOUR


def test_a_skip_does_not_move_what_waits_for_its_sources() -> None:
    """Its time has come long ago, and nothing has changed since: the next change makes it due."""
    plans = [{"schedule": {"on_update": True, "at_most_every": "1 hour"}}, {"target_lag": "1 hour"}]
    for config in plans:
        dbt = scheduled(**config)
        last = come(dbt)
        assert "SKIP" in dbt.run()[0].message
        assert row(dbt)["next_time"] == last


def test_a_first_build_plans() -> None:
    dbt = scheduled(**HOURLY)
    assert row(dbt)["schedule"] == {"every": 3600}
    assert row(dbt)["next_time"] > micros(dbt.engine.minute)


def test_before_its_time_a_run_is_a_manual_one() -> None:
    dbt = scheduled(**HOURLY)
    before = row(dbt)["next_time"]
    for change in (True, False):
        if change:
            change_source(dbt)
        assert dbt.run()[0].status == "success"
        assert row(dbt)["next_time"] == before
        dbt = again(dbt)


@pytest.mark.parametrize("changed", [True, False])
def test_when_its_time_has_come_a_run_moves_it(changed: bool) -> None:
    """A skip as well: it found out that nothing was to do."""
    dbt = scheduled(**HOURLY)
    last = come(dbt)
    if changed:
        change_source(dbt)
    dbt.run()
    assert row(dbt)["last_refresh_type"] == ("complete" if changed else "skip")
    assert row(dbt)["next_time"] == last + HOUR


def test_a_run_operation_is_manual() -> None:
    dbt = scheduled(**HOURLY)
    last = come(dbt)
    change_source(dbt)
    dbt.operation("mview_refresh", view="totals")
    assert row(dbt)["last_refresh_type"] == "complete" and row(dbt)["next_time"] == last
    assert row(dbt)["schedule"] == {"every": 3600}


def test_a_new_schedule_is_planned_though_nothing_else_changed() -> None:
    dbt = scheduled(**HOURLY)
    dbt = again(dbt, Model(config={"schedule": {"cron": "0 3 * * *"}}))
    assert "SKIP" in dbt.run()[0].message
    counted = {"after": micros(dbt.engine.minute)}
    assert row(dbt)["schedule"] == {"cron": "0 3 * * *", "time_zone_value": "UTC", **counted}
    assert row(dbt)["next_time"] is None
    dbt = again(dbt, Model())
    dbt.run()
    assert (row(dbt)["schedule"], row(dbt)["next_time"]) == (None, None)


def test_what_waits_for_its_sources_moves_with_every_refresh() -> None:
    dbt = scheduled(schedule={"on_update": True, "at_most_every": "1 hour"})
    first = row(dbt)["next_time"]
    dbt.run()
    assert row(dbt)["next_time"] == first, "not with a skip"
    dbt = again(dbt)
    change_source(dbt)
    dbt.engine.minute += 30
    dbt.run()
    assert row(dbt)["next_time"] == micros(dbt.engine.minute) + HOUR


def test_target_lag_counts_from_the_data() -> None:
    dbt = scheduled(target_lag="1 hour")
    assert row(dbt)["next_time"] <= row(dbt)["last_successful_refresh_read_time"] + HOUR


def test_failures_are_counted_and_a_success_ends_them() -> None:
    dbt = scheduled(**HOURLY)
    last = come(dbt)
    for count in (1, 2):
        change_source(dbt)
        dbt.engine.on["publish"] = broken
        assert dbt.run()[0].status == "error"
        assert (row(dbt)["failures"], row(dbt)["next_time"]) == (count, last)
        assert row(dbt)["retry_time"] is not None
        dbt = again(dbt)
    dbt.engine.minute += 10
    dbt.run()
    assert (row(dbt)["failures"], row(dbt)["retry_time"]) == (None, None)
    assert row(dbt)["next_time"] > last


def broken(*_: object) -> None:
    raise RuntimeError("no space left on device")


def test_bad_expressions_are_refused_before_anything_is_built() -> None:
    dbt = new(Model(config={"schedule": {"next": "no such thing"}}))
    dbt.engine.on["read_times"] = broken
    assert dbt.run()[0].status == "error"
    assert "acquire" not in dbt.engine.steps and VIEW not in dbt.engine.tables


def test_an_expression_that_fails_later_leaves_the_view_published_and_due() -> None:
    dbt = scheduled(schedule={"next": "(select max(day) from shop.calendar)"})
    last = come(dbt)
    change_source(dbt)
    dbt.engine.on["read_times"] = broken
    (result,) = dbt.run()
    assert result.status == "error" and "no space left" in result.message
    assert row(dbt)["last_refresh_result"] == "success" and row(dbt)["lock_owner"] is None
    assert "published, but failed afterwards" in row(dbt)["last_refresh_failed_reason"]
    assert row(dbt)["next_time"] == last


def test_known_expressions_are_not_asked_about_again() -> None:
    dbt = scheduled(schedule={"next": "now() + interval 1 hour"})
    dbt.run()
    assert "read_times" not in dbt.engine.steps


@pytest.mark.parametrize(
    ("row", "come"),
    [
        (None, False),
        ({"schedule": None, "next_time": 1}, False),
        ({"schedule": {"every": 1}, "next_time": None}, False),
        ({"schedule": {"every": 1}, "next_time": 1}, True),
        ({"schedule": {"every": 1}, "next_time": 10**18}, False),
    ],
)
def test_the_time_has_come(row: Any, come: bool) -> None:
    assert Dbt(Engine())("_time_has_come", row) is come


def test_a_success_before_the_retry_is_the_planned_one() -> None:
    dbt = scheduled(**HOURLY)
    last = come(dbt)
    row(dbt).update(retry_time=10**18, failures=3)
    dbt.run()
    assert (row(dbt)["failures"], row(dbt)["retry_time"]) == (None, None)
    assert row(dbt)["next_time"] == last + HOUR


def test_built_without_a_schedule_stays_so() -> None:
    dbt = built()
    dbt.run()
    assert (row(dbt)["schedule"], row(dbt)["next_time"]) == (None, None)
