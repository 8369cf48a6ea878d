"""The last member to arrive publishes all, after one decision; a run that dies is made good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.deaths import Killed, restart, stop_at
from ...kit.harness import Dbt, Model
from ...kit.scenes import (
    GROUPED,
    MEMBER_IDS,
    MEMBERS,
    OTHER,
    again,
    change_source,
    group,
    new,
    of_rows,
    refreshes,
    transcript,
    with_feed,
)

Golden = Callable[[str, str], None]
STEPS = [
    "acquire", "stage", "grants", "acquire", "stage", "grants",
    "decide", "publish", "sweep", "publish", "sweep", "record", "record",
]  # fmt: skip
WRITES = [step for step in STEPS if step != "grants"]
DECIDED = WRITES.index("decide")


def test_the_last_one_publishes_all(golden: Golden) -> None:
    dbt = group()
    first, second = dbt.run()
    reason = "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed"
    assert first.message.startswith(f"STAGED COMPLETE for refresh_group sales: {reason}")
    assert second.message.startswith(f"COMPLETE v1, 3 rows: {reason}")
    golden("group_published", transcript(dbt, "A refresh group: staged, decided, published"))
    assert [one.step for one in dbt.engine.writes] == STEPS
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["target_version"], state["last_refresh_result"]) == (1, "success")
        assert state["lock_owner"] is None and state["intent"] is None
    assert dbt("_memory")["groups"]["sales"]["published"]


def test_first_builds_do_not_wait() -> None:
    dbt = new(MEMBERS[0])
    dbt = Dbt(dbt.engine, *MEMBERS)
    assert [result.message.split(" v")[0] for result in dbt.run()] == ["COMPLETE", "COMPLETE"]
    assert "decide" not in dbt.engine.steps and "stage" not in dbt.engine.steps


def test_one_that_changed_alone_needs_no_decision() -> None:
    other = "customer, max(amount) as total from shop.refunds group by customer"
    dbt = group()
    dbt.run()
    dbt = again(dbt, MEMBERS[0], Model("sums", sql=f"select {other}", config=GROUPED))
    first, second = dbt.run()
    assert first.message.startswith("SKIP")
    assert second.message.startswith("COMPLETE v2"), second.message
    assert "decide" not in dbt.engine.steps and "stage" in dbt.engine.steps


def test_one_that_changed_alone_fails_by_its_own_error() -> None:
    """Though the node that fails is that of the last to arrive, which had nothing to do."""
    other = "customer, max(amount) as total from shop.refunds group by customer"
    dbt = group()
    dbt.run()
    changed = Model(MEMBERS[0].name, sql=f"select {other}", config=GROUPED)
    dbt = again(dbt, changed, MEMBERS[1], invocation_id=OTHER)

    def refuse(sql: str) -> None:
        raise RuntimeError("disk full")

    dbt.engine.on["publish"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "disk full")
    staged, skipped = (dbt.engine.states[mview_id] for mview_id in MEMBER_IDS)
    assert staged["last_refresh_failed_reason"] == "disk full"
    assert (staged["last_refresh_result"], staged["lock_owner"]) == ("failed", None)
    assert (skipped["last_refresh_result"], skipped["last_refresh_type"]) == ("success", "skip")
    assert skipped["last_refresh_failed_reason"] is None


def test_nothing_is_published_where_a_member_fails() -> None:
    dbt = group()

    def refuse(sql: str) -> None:
        if "sums" in sql or len([one for one in dbt.engine.steps if one == "stage"]) > 1:
            raise RuntimeError("disk full")

    dbt.engine.on["stage"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "disk full")
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1, 1]
    told = "refresh_group 'sales' was not published, because not all of its members got that far"
    assert dbt.engine.states[MEMBER_IDS[0]]["last_refresh_failed_reason"] == told
    assert dbt.engine.states[MEMBER_IDS[1]]["last_refresh_failed_reason"] == "disk full"
    for mview_id in MEMBER_IDS:
        assert dbt.engine.states[mview_id]["lock_owner"] is None
    assert not [name for name in dbt.engine.tables if "stage" in name]
    assert {result.status for result in again(dbt, invocation_id=OTHER).run()} == {"success"}
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]


def test_a_publish_that_fails_after_the_decision_is_done_at_the_end() -> None:
    dbt = group()
    seen = []

    def refuse(sql: str) -> None:
        seen.append(sql)
        if len(seen) == 2:
            raise RuntimeError("disk full")

    dbt.engine.on["publish"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "disk full")
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["last_refresh_result"], state["lock_owner"]) == ("success", None)


@pytest.mark.parametrize("alone", [False, True])
def test_a_sweep_that_fails_is_done_at_the_end(alone: bool) -> None:
    """The node that fails is the last one to arrive; what it swept for was published."""
    dbt = group()
    if alone:
        dbt.run()
        other = "customer, max(amount) as total from shop.refunds group by customer"
        dbt = again(dbt, Model("totals", sql=f"select {other}", config=GROUPED), MEMBERS[1])

    def refuse(sql: str) -> None:
        if dbt.engine.steps.count("sweep") == 1:
            raise RuntimeError("no connection")

    dbt.engine.on["sweep"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "no connection")
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["last_refresh_result"], state["lock_owner"]) == ("success", None)
    assert dbt.engine.steps.count("publish") == 2 - alone
    assert not [name for name in dbt.engine.tables if "stage" in name]


def test_constraints_are_checked_on_whole_results_before_the_decision() -> None:
    """What is decided must not fail any more: FAST would meet them in its publish."""
    few = {"type": "check", "name": "few", "expression": "total < 5", "columns": []}
    members = [
        Model(
            one.name,
            config={**GROUPED, "contract": {"enforced": True}},
            constraints=[{**few, "warn_unenforced": False}],
            columns={"customer": {}, "total": {}},
        )
        for one in MEMBERS
    ]
    dbt = with_feed(group(*members))
    dbt.run()
    jobs = list(dbt("_memory")["jobs"].values())
    assert [job["method"] for job in jobs] == ["complete"] * 2
    assert all("CONSTRAINTS_OF_A_GROUP" in job["reason"] for job in jobs)


def test_a_recovery_publishes_what_the_one_that_took_over_had_decided() -> None:
    first = group()
    stop_at(first, WRITES.index("stage"), True, Killed())
    with pytest.raises(Killed):
        first.run()
    second = restart(first, minutes=120)

    def killed(_: str) -> None:
        raise Killed

    second.engine.on["publish"] = killed
    with pytest.raises(Killed):
        second.run()
    assert "decide" in second.engine.steps
    second.engine.on.clear()
    second.engine.minute += 120
    third = again(second, invocation_id="third")
    third.operation("mview_recover")
    assert [refreshes(third, one) for one in MEMBER_IDS] == [2, 2]
    assert [third.engine.states[one]["lock_owner"] for one in MEMBER_IDS] == [None, None]


def test_a_lock_that_was_lost_keeps_all_old() -> None:
    dbt = group()

    def take(sql: str) -> None:
        dbt.engine.states[MEMBER_IDS[0]].update(lock_token=9, refresh_job_id="other")

    dbt.engine.on["decide"] = take
    _, second = dbt.run()
    assert second.status == "error" and "lock lost" in second.message
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1, 1]


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("number", range(len(WRITES)), ids=lambda n: f"{n}-{WRITES[n]}")
@pytest.mark.parametrize("by", ["run", "recover"])
def test_a_run_that_dies(number: int, done: bool, by: str) -> None:
    """All old before the decision and all new after it, whoever repairs."""
    dead = group()
    stop_at(dead, number, done, Killed())
    with pytest.raises(Killed):
        dead.run()
    dbt = restart(dead, minutes=120)
    decided = number > DECIDED or (number == DECIDED and done)
    if by == "recover":
        dbt.operation("mview_recover")
        assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1 + decided] * 2
        dbt = again(dbt, *MEMBERS, invocation_id="after")
    results = dbt.run()
    assert {result.status for result in results} == {"success"}, results
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["last_refresh_result"], state["lock_owner"]) == ("success", None)
        assert state["sources"][0]["version"] == 3
    assert not [name for name in dbt.engine.tables if "stage" in name]


def test_full_refresh_gives_up_what_was_decided() -> None:
    dead = group()
    stop_at(dead, DECIDED, True, Killed())
    with pytest.raises(Killed):
        dead.run()
    for name in [name for name in dead.engine.tables if "stage" in name]:
        del dead.engine.tables[name]
    del dead.engine.execute
    dead.engine.minute += 120
    dead.engine.forget()
    dbt = Dbt(dead.engine, *MEMBERS, invocation_id=OTHER, full_refresh=True)
    assert {result.status for result in dbt.run()} == {"success"}
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]


def test_what_reads_a_member_sees_the_start_until_all_is_published() -> None:
    reader = Model("report", sql="select customer, total from shop.totals")
    dbt: Any = group(*MEMBERS)
    dbt = Dbt(dbt.engine, MEMBERS[0], reader, MEMBERS[1], invocation_id=OTHER)
    dbt.engine.reads(MEMBER_IDS[0])
    change_source(dbt, 50)
    assert not dbt("_group_is_read_as_of_start", None)
    assert dbt("_run_start", MEMBER_IDS[0]) is not None
    dbt("_group", "sales")["published"] = True
    assert dbt("_run_start", MEMBER_IDS[1]) is not None
    fresh = Dbt(dbt.engine, *MEMBERS, invocation_id="later")
    fresh("_group", "sales")["published"] = True
    assert fresh("_run_start", MEMBER_IDS[0]) is None


def test_of_two_that_arrive_at_one_moment_one_publishes() -> None:
    dbt = group()
    dbt("_group", "sales")["leader"] = "another"
    dbt.run()
    assert "stage" in dbt.engine.steps
    assert "decide" not in dbt.engine.steps and "publish" not in dbt.engine.steps


def test_rows_that_only_come_are_staged_as_well() -> None:
    """Nothing may fail any more once the group is decided."""
    dbt = of_rows(with_feed(group()))
    dbt.run()
    jobs = [
        (job["method"], job["publish"], job["staged"]) for job in dbt("_memory")["jobs"].values()
    ]
    assert jobs == [("fast", "merge", True)] * 2
