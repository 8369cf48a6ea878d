"""What becomes of a plan with each kind of run, and which are due."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..kit.deaths import Killed
from ..kit.engine import Engine, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import (
    GROUPED,
    MEMBER_IDS,
    OTHER,
    SOURCE,
    VIEW,
    again,
    built,
    change_source,
    group,
    lock,
    new,
    refreshes,
    world,
)

# What becomes of a plan with each kind of run.


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


# A run that the scheduler service begins for a plan.


def planned(dbt: Dbt, due: int) -> Dbt:
    """The service begins this run for what was due then."""
    dbt.environ["DBT_MVIEW_DUE"] = json.dumps({VIEW: due})
    return dbt


@pytest.mark.parametrize("by_service", [True, False])
def test_a_plan_that_is_over_is_not_carried_out_again(by_service: bool) -> None:
    """Another run has, and there is news again since."""
    dbt = scheduled(**HOURLY)
    due = come(dbt)
    change_source(dbt)
    assert planned(dbt, due).run()[0].message.startswith("COMPLETE")
    change_source(dbt, 41)
    before = dict(row(dbt))
    dbt = again(dbt, invocation_id=OTHER)
    (result,) = (planned(dbt, due) if by_service else dbt).run()
    if by_service:
        assert result.message == "SKIP another run has carried out this plan"
        assert before == row(dbt), "state is not told"
        assert [*dbt.codes.values()] == ["LEFT"]
    else:
        assert result.message.startswith("COMPLETE")
        assert [*dbt.codes.values()] == ["COMPLETE"]


@pytest.mark.parametrize("by_run", [True, False], ids=["by the next run", "by mview_recover"])
def test_a_plan_that_a_dead_run_has_carried_out(by_run: bool) -> None:
    """It had published, and died before it could say so."""
    dbt = scheduled(**HOURLY)
    due = come(dbt)
    change_source(dbt)

    def dies(_: str) -> None:
        raise Killed

    dbt.engine.on["record"] = dies
    with pytest.raises(Killed):
        dbt.run()
    assert row(dbt)["next_time"] == due and refreshes(dbt, VIEW) == 2
    dbt.engine.minute += 3
    dbt = again(dbt, invocation_id=OTHER)
    dbt.run() if by_run else dbt.operation("mview_recover", view="totals")
    assert row(dbt)["next_time"] == due + HOUR and refreshes(dbt, VIEW) == 2


EVERY, LAG = {"every": 3600}, {"target_lag": 600}
BEGAN = micros(90)
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("schedule", "due", "planned", "plan"),
    [
        (EVERY, BEGAN - 1, True, {"next_time": BEGAN - 1 + HOUR}),
        (EVERY, BEGAN, True, {"next_time": BEGAN + HOUR}),
        (EVERY, BEGAN - 2 * HOUR - 5, True, {"next_time": BEGAN + HOUR - 5}),
        (EVERY, BEGAN - 1, False, None),
        (EVERY, BEGAN + 1, True, None),
        (EVERY, None, True, None),
        (None, BEGAN - 1, True, None),
        ({"cron": "0 * * * *"}, BEGAN - 1, True, {"next_time": None, "after": BEGAN}),
        ({"cron": "0 * * * *"}, BEGAN - 1, False, None),
        ({"next": "now()", "start_with": None}, BEGAN - 1, True, None),
        ({"on_update": True, "at_most_every": 60}, 0, False, {"next_time": BEGAN + 67 * SECOND}),
        (LAG, BEGAN - 1, False, {"next_time": BEGAN + 591 * SECOND}),
    ],
)
def test_what_a_recovered_refresh_makes_of_a_plan(
    schedule: Any, due: int | None, planned: bool, plan: dict[str, Any] | None
) -> None:
    """The run took the lock at BEGAN, published 7 s later, and had read 2 s before."""
    holder = {"lock_time": BEGAN, "intent": {"scheduled": True} if planned else None}
    commit = {"commit_time": BEGAN + 7 * SECOND, "meta": {"read_time": BEGAN - 2 * SECOND}}
    found = Dbt()("_reschedule_recovered", {"schedule": schedule, "next_time": due}, holder, commit)
    if plan is None:
        assert found is None
    else:
        own = {"after": plan.pop("after")} if "after" in plan else {}
        assert found == {**plan, "schedule": {**schedule, **own}}


def test_an_operation_carries_out_no_plan() -> None:
    """One that a hook of the project calls, in a run of the service."""
    dbt = scheduled(**HOURLY)
    due = come(dbt)
    row(dbt)["next_time"] = due + HOUR
    change_source(dbt)
    planned(again(dbt), due).operation("mview_refresh", view="totals", method="complete")
    assert refreshes(dbt, VIEW) == 2


# Members of a refresh group.

IN_GROUP = {**GROUPED, **HOURLY}
PAIR = (Model("totals", config=IN_GROUP), Model("sums", config=IN_GROUP))


def plans(dbt: Dbt) -> dict[str, int]:
    return {id_: dbt.engine.states[id_]["next_time"] for id_ in dbt.engine.states}


def test_members_are_due_together() -> None:
    """Though one is built after the other; also one that joins them later."""
    dbt = Dbt(world(), *PAIR)

    def later(_: str) -> None:
        dbt.engine.minute += 1

    dbt.engine.on["read_times"] = later
    dbt.run()
    (first,) = {*plans(dbt).values()}
    dbt.engine.on.clear()
    third = Model("third", config=IN_GROUP)
    dbt = Dbt(dbt.engine, *PAIR, third, invocation_id=OTHER)
    change_source(dbt)
    assert {result.status for result in dbt.run()} == {"success"}
    assert plans(dbt) == dict.fromkeys([*MEMBER_IDS, "spark_catalog.shop.third"], first)


@pytest.mark.parametrize("behind", [(), MEMBER_IDS[:1], MEMBER_IDS])
def test_a_group_is_left_as_a_whole(behind: tuple[str, ...]) -> None:
    """Where another run has refreshed it for the plan of one; not before all of it is refreshed."""
    dbt = group(*PAIR)
    due = min(plans(dbt).values())
    for id_ in {*MEMBER_IDS} - {*behind}:
        dbt.engine.states[id_]["next_time"] = due + HOUR
    dbt.environ["DBT_MVIEW_DUE"] = json.dumps({MEMBER_IDS[1]: due})
    messages = [result.message for result in dbt.run()]
    left = [message.startswith("SKIP another run") for message in messages]
    assert left == [not behind, not behind], messages


def test_a_member_without_a_plan_is_left_with_the_others() -> None:
    dbt = group(PAIR[0], Model("sums", config=GROUPED))
    due = plans(dbt)[VIEW]
    dbt.engine.states[VIEW]["next_time"] = due + HOUR
    dbt.environ["DBT_MVIEW_DUE"] = json.dumps({VIEW: due})
    assert all(result.message.startswith("SKIP another run") for result in dbt.run())


def test_a_plan_whose_run_has_failed_is_tried_again_when_that_is_due() -> None:
    dbt = scheduled(**HOURLY)
    due = come(dbt)
    row(dbt).update(failures=1, retry_time=due + HOUR, last_refresh_result="failed")
    change_source(dbt)
    assert planned(again(dbt), due).run()[0].message.startswith("SKIP another run")
    assert planned(again(dbt), due + HOUR).run()[0].message.startswith("COMPLETE")


def test_a_view_that_is_broken_meanwhile_is_left_alone() -> None:
    dbt = scheduled(**HOURLY)
    due = come(dbt)
    row(dbt).update(failures=16, retry_time=None, last_refresh_result="failed")
    change_source(dbt)
    assert planned(again(dbt), due).run()[0].message.startswith("SKIP another run")


def test_what_another_run_has_just_published_is_left_to_it() -> None:
    """It records its outcome when it ends; when its lease is over, it is dead."""
    dbt = scheduled(**HOURLY)
    due = come(dbt)
    change_source(dbt)
    job = row(dbt)["refresh_job_id"]
    lock(dbt, refresh_job_id=job)
    assert planned(again(dbt), due).run()[0].message == (
        f"SKIP another run ({OTHER}) has just published it"
    )
    lock(dbt, refresh_job_id=job, lease_until=micros(1))
    assert planned(again(dbt), due).run()[0].message.startswith("COMPLETE")


def test_a_view_without_a_plan_is_refreshed() -> None:
    dbt = built()
    change_source(dbt)
    assert planned(dbt, 1).run()[0].message.startswith("COMPLETE")


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


# Which plans are due, and why.


NOW = micros(0)


def due_row(id_: str, **values: Any) -> dict[str, Any]:
    plain = {"what": "view", "id": id_, "schedule": {"every": 60}, "next_time": NOW - 60}
    plain |= {"retry_time": None, "failures": None, "sources": None}
    return {**plain, "result": "success", "is_built": True, "lease_over": True, **values}


def due(*rows: dict[str, Any]) -> list[tuple[str, str]]:
    found = new()("_what_is_due", list(rows))
    return [(one["id"], one["why"]) for one in found["due"]]


def test_oldest_first() -> None:
    rows = [
        due_row("b"),
        due_row("a"),
        due_row("c", next_time=NOW - 100),
        due_row("d", next_time=10**18),
    ]
    assert due(*rows) == [("c", "schedule"), ("a", "schedule"), ("b", "schedule")]


def test_what_runs_is_not_due() -> None:
    assert due(due_row("a", lease_over=False)) == []


def test_a_failure_waits_for_its_retry() -> None:
    assert due(due_row("a", retry_time=10**18, failures=1)) == []
    found = new()("_what_is_due", [due_row("a", retry_time=NOW - 5, failures=2)])["due"]
    assert [(one["why"], one["since"]) for one in found] == [("retry after failure 2", NOW - 5)]


def test_cron_without_a_time_is_unplanned() -> None:
    cron = {"schedule": {"cron": "* * * * *", "time_zone_value": "UTC"}}
    found = new()(
        "_what_is_due", [due_row("a", next_time=None, **cron), due_row("b", next_time=None)]
    )
    assert [one["id"] for one in found["unplanned"]] == ["a"] and found["due"] == []
    assert due(due_row("a", **cron)) == [("a", "schedule")]


def test_on_update_and_lag_wait_for_a_change() -> None:
    dbt = new()
    source = dbt("_pin_table", SOURCE, None)
    for schedule in ({"on_update": True, "at_most_every": None}, {"target_lag": 60}):
        rows = [due_row(name, schedule=schedule, sources=[dict(source)]) for name in "ab"]
        dbt.engine.forget()
        assert dbt("_what_is_due", rows)["due"] == []
        assert dbt.engine.steps.count("read_properties") == 1, "one look for both"
        failed = [{**one, "result": "failed"} for one in rows]
        assert {one["why"] for one in dbt("_what_is_due", failed)["due"]} == {
            "the last refresh failed"
        }
    change_source(dbt)
    assert [one["why"] for one in dbt("_what_is_due", rows)["due"]] == ["shop.orders v2 -> v3"] * 2


def test_a_deferred_view_does_not_wait_for_a_change() -> None:
    waits = {"schedule": {"on_update": True, "at_most_every": None}, "sources": []}
    assert due(due_row("a", is_built=False, **waits), due_row("b", **waits)) == [
        ("a", "first refresh of a deferred view")
    ]


def test_a_source_that_is_gone_makes_its_views_due_and_no_others_fail() -> None:
    dbt = new()
    waits = {"schedule": {"on_update": True, "at_most_every": None}}
    gone = {"relation": "spark_catalog.shop.gone", "version": 1, "commit_time": 1}
    there = dict(dbt("_pin_table", SOURCE, None))
    rows = [due_row(name, sources=[gone], **waits) for name in "ab"]
    rows += [due_row("c", sources=[there], **waits), due_row("d")]
    dbt.engine.forget()
    found = dbt("_what_is_due", rows)["due"]
    missing = "SOURCE_MISSING: shop.gone is gone"
    assert [(one["id"], one["why"]) for one in found] == [
        ("a", missing), ("b", missing), ("d", "schedule")
    ]  # fmt: skip
    assert dbt.engine.steps.count("read_catalog") == 2, "one look for both"


# How many failures are too many.


NAME = "dbt_mview:broken_after"


@pytest.mark.parametrize(("given", "count"), [(1, 1), ("1000", 1000), (16, 16)])
def test_count(given: Any, count: int) -> None:
    dbt = Dbt(variables={NAME: given})
    assert dbt("_broken_after") == count
    assert [dbt("_is_broken", {"failures": one}) for one in (None, count - 1, count)] == [
        False, False, True
    ]  # fmt: skip


@pytest.mark.parametrize("given", [0, "many", 1001])
def test_no_count(given: Any) -> None:
    with pytest.raises(DbtError, match=f"the var {NAME}: '{given}' is"):
        Dbt(variables={NAME: given})("_broken_after")
