"""mview_restore: under the lock, in one commit that carries the sources of that refresh."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.deaths import Killed, restart, stop_at
from ..kit.engine import Delta, _meta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import (
    FOLLOWER,
    SOURCE,
    VIEW,
    again,
    built,
    change_source,
    lock,
    outcomes,
    transcript,
)

BELOW = "spark_catalog.shop.below"
THIRD = "0a1b2c3d-0000-4000-8000-000000000003"
ASKED = {"view": "totals", "version": 0}


def twice(model: Model | None = None) -> Dbt:
    """A view that two runs have refreshed: v0 of orders v2, v1 of orders v3."""
    dbt = built(model)
    change_source(dbt)
    dbt.engine.minute = 725
    dbt.run()
    assert dbt.engine.states[VIEW]["target_version"] == 1
    return again(dbt, invocation_id=THIRD)


def versions(state: dict[str, Any]) -> dict[str, int]:
    return {source["relation"]: source["version"] for source in state["sources"]}


def told(dbt: Dbt) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_meta(dbt.engine.sql("publish")))["dbt_mview"]
    return found


def test_restore(golden: Golden) -> None:
    dbt = twice()
    assert versions(dbt.engine.states[VIEW]) == {SOURCE: 3}
    assert dbt.operation("mview_restore", **ASKED) == [
        f"{VIEW}: COMPLETE v2, 3 rows: restored from v0 of 2024-03-01 12:00:00Z; runs skip it"
        " until mview_refresh or --full-refresh"
    ]
    assert "select * from `shop`.`totals` version as of 0" in dbt.engine.sql("publish")
    assert [source["version"] for source in told(dbt)["sources"]] == [2]
    golden("operation_restore_view", transcript(dbt, "mview_restore: to the first version"))
    state = dbt.engine.states[VIEW]
    assert versions(state) == {SOURCE: 2}, "those of the refresh that is restored"
    assert (state["target_version"], state["lock_owner"]) == (2, None)
    assert state["last_successful_refresh_read_time"] == told(dbt)["read_time"]
    assert told(dbt)["definition_hash"] == state["definition_hash"]


def test_by_a_time_and_through_what_changes_no_row() -> None:
    dbt = twice()
    table = dbt.engine.tables[VIEW]
    assert isinstance(table, Delta)
    table.commit(728, "OPTIMIZE")
    table.commit(729, "VACUUM END")
    change_source(dbt, 730)
    dbt.engine.minute = 735
    again(dbt).run()
    restored = again(dbt)
    restored.operation("mview_restore", view="totals", timestamp="2024-03-01 12:08:30Z")
    assert "version as of 3" in restored.engine.sql("publish"), "the last of the same rows"
    assert [source["version"] for source in told(restored)["sources"]] == [3]


def test_runs_leave_it_alone() -> None:
    dbt = twice()
    dbt.operation("mview_restore", **ASKED)
    change_source(dbt, 760)
    run = again(dbt)
    (result,) = run.run()
    assert result.message == (
        "SKIP held by mview_restore at v0 of 2024-03-01 12:00:00Z: mview_refresh or --full-refresh"
        " lets it go on"
    )
    other = again(run, Model(config={"refresh": "complete"}))
    assert other.run()[0].message.startswith("SKIP held"), "also where other settings are noted"
    assert "held" in other.engine.states[VIEW]["spec"]
    assert other.engine.states[VIEW]["spec"]["refresh"] == "complete"


def test_mview_refresh_lets_it_go_on() -> None:
    dbt = twice()
    dbt.operation("mview_restore", **ASKED)
    (line,) = again(dbt).operation("mview_refresh", view="totals")
    assert line.startswith(f"{VIEW}: COMPLETE v3, 3 rows: shop.orders v2 -> v3")
    assert "held" not in dbt.engine.states[VIEW]["spec"]


def test_mview_refresh_lets_go_of_what_has_nothing_to_refresh() -> None:
    dbt = twice()
    dbt.operation("mview_restore", view="totals", version=1)
    (line,) = again(dbt).operation("mview_refresh", view="totals")
    assert line == f"{VIEW}: SKIP nothing changed since shop.orders v3"
    assert "held" not in dbt.engine.states[VIEW]["spec"]


def test_full_refresh_lets_it_go_on() -> None:
    dbt = twice()
    dbt.operation("mview_restore", **ASKED)
    full = again(dbt, full_refresh=True)
    assert full.run()[0].message.startswith("COMPLETE v3, 3 rows: full refresh")
    assert "held" not in dbt.engine.states[VIEW]["spec"]


def test_without_hold_the_next_run_goes_on() -> None:
    dbt = twice()
    (line,) = dbt.operation("mview_restore", hold=False, **ASKED)
    assert line.endswith("restored from v0 of 2024-03-01 12:00:00Z")
    assert again(dbt).run()[0].message.startswith("COMPLETE v3, 3 rows: shop.orders v2 -> v3")


def test_what_others_read_is_overwritten_too() -> None:
    """It is published without a stage: whatever became of the view's own files."""
    dbt = again(twice(), Model(), FOLLOWER, invocation_id=THIRD)
    (line,) = dbt.operation("mview_restore", **ASKED)
    assert "COMPLETE v2, 3 rows: restored" in line
    assert "stage" not in dbt.engine.steps and not dbt.engine.sql("publish").startswith("merge")


def test_it_is_no_measure_of_a_refresh() -> None:
    dbt = twice()
    took = dbt.engine.states[VIEW]["spec"]["took"]
    dbt.operation("mview_restore", **ASKED)
    assert dbt.engine.states[VIEW]["spec"]["took"] == took


def test_what_is_audited_is_not_audited_again() -> None:
    model = Model(config={"audit": "total >= 0", "unique_key": "customer"})
    dbt = twice(model)
    dbt.operation("mview_restore", **ASKED)
    assert "stage" not in dbt.engine.steps and "read_audit" not in dbt.engine.steps
    stored = dbt.engine.states[VIEW]["spec"]
    assert (stored["audit"], stored["unique_key"]) == (["total >= 0"], ["customer"])


def test_a_run_that_died_before_is_recovered_first() -> None:
    dbt = twice()
    lock(dbt, lease_until=micros(600))
    dbt.operation("mview_restore", **ASKED)
    steps = [step for step in dbt.engine.steps if not step.startswith("read_")]
    recovered = ["acquire", "fence", "recover", "recover", "record", "record"]
    assert steps == [*recovered, "publish", "record", "record"]
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def test_another_run_is_refreshing_it() -> None:
    dbt = twice()
    lock(dbt)
    with pytest.raises(DbtError, match=r"is refreshing .*totals"):
        dbt.operation("mview_restore", **ASKED)
    assert dbt.engine.writes == []


def test_one_that_died_after_its_publish_is_held() -> None:
    dbt = twice()

    def die(sql: str) -> None:
        raise ConnectionError("gone")

    dbt.engine.on["record"] = die
    with pytest.raises(ConnectionError):
        dbt.operation("mview_restore", **ASKED)
    run = again(dbt)
    change_source(run, 760)
    assert run.run()[0].message.startswith("SKIP held by mview_restore at v0")
    state = run.engine.states[VIEW]
    assert versions(state) == {SOURCE: 2} and state["lock_owner"] is None


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(4))
def test_it_dies_anywhere(number: int, done: bool) -> None:
    """The next run ends what was begun: the view is restored and held, or as it was."""
    dbt = twice()
    stop_at(dbt, number, done, Killed())
    with pytest.raises(Killed):
        dbt.operation("mview_restore", **ASKED)
    run = restart(dbt, minutes=120)
    (result,) = run.run()
    assert result.status == "success"
    state, commits = run.engine.states[VIEW], run.engine.tables[VIEW].commits
    is_restored = (number, done) >= (1, True)
    assert len([one for one in commits if one.ours]) == (3 if is_restored else 2)
    assert versions(state) == {SOURCE: 2 if is_restored else 3} and state["lock_owner"] is None
    assert ("held" in state["spec"]) is is_restored
    assert result.message.startswith("SKIP held" if is_restored else ("SKIP", "FAST"))


def test_a_dry_run_shows_the_plan() -> None:
    dbt = twice()
    printed = dbt.operation("mview_restore", dry_run=True, **ASKED)
    assert printed[0] == f"{VIEW}: to v0 of 2024-03-01 12:00:00Z"
    steps = [line.split("step=")[1].split()[0] for line in printed[1:]]
    assert steps == ["acquire", "publish", "record", "record"] and dbt.engine.writes == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "mview_restore takes a timestamp or a version"),
        ({"version": 1, "timestamp": "-1 day"}, "mview_restore takes a timestamp or a version"),
        ({"version": 7}, r"it has nothing of v7: its history goes from v0 of .* to v2 of "),
        ({"version": "x"}, "it has nothing of vx"),
        ({"timestamp": "2024-02-29 00:00:00Z"}, "it has nothing of '2024-02-29 00:00:00Z'"),
        ({"timestamp": "soon"}, "'soon' is no time"),
        (
            {"version": 2},
            f"dbt_mview: {VIEW}: v2 is no refresh of this view, but DELETE. Give a version that"
            " mview_history or DESCRIBE HISTORY shows as a refresh.$",
        ),
    ],
)
def test_what_cannot_be_restored(asked: dict[str, Any], message: str) -> None:
    dbt = twice()
    table = dbt.engine.tables[VIEW]
    assert isinstance(table, Delta)
    table.commit(728, "DELETE")
    with pytest.raises(DbtError, match=message):
        dbt.operation("mview_restore", view="totals", **asked)
    assert dbt.engine.writes == []


def test_a_member_of_a_group_is_refused() -> None:
    dbt = twice()
    dbt.engine.states[VIEW]["spec"]["refresh_group"] = "daily"
    with pytest.raises(DbtError, match="it belongs to refresh_group 'daily', whose members"):
        dbt.operation("mview_restore", **ASKED)


# With those that have read it.


def below(dbt: Dbt, *read: int) -> None:
    """A view below that one, whose refreshes have read these versions of it."""
    table = Delta([], [("customer", "string"), ("total", "bigint")], "table-below")
    for minute, version in enumerate(read):
        source = {"relation": VIEW, "table_id": "t", "version": version, "commit_time": 1}
        meta = {
            "mview_id": BELOW,
            "refresh_job_id": f"j{minute}",
            "lock_token": minute + 1,
            "method": "complete",
            "sources": [source],
            "definition_hash": "h",
            "read_time": micros(700),
        }
        table.commit(700 + minute, "WRITE", 3, json.dumps({"dbt_mview": meta}))
    dbt.engine.tables[BELOW] = table
    spec = {**dbt.engine.states[VIEW]["spec"], "identifier": "below"}
    dbt.engine.state(
        BELOW,
        spec=spec,
        definition="select * from shop.totals",
        definition_hash="h",
        sources=[source],
        target_version=len(read) - 1,
        lock_token=len(read),
        last_refresh_result="success",
    )


def test_cascade() -> None:
    dbt = twice()
    below(dbt, 0, 0, 1)
    lines = dbt.operation("mview_restore", cascade=True, **ASKED)
    assert [line.split(":")[0] for line in lines] == [VIEW, BELOW]
    assert "restored from v1 of" in lines[1]
    assert versions(dbt.engine.states[BELOW]) == {VIEW: 0}
    assert "held" in dbt.engine.states[BELOW]["spec"]


def test_cascade_leaves_alone_what_has_not_read_it() -> None:
    dbt = twice()
    below(dbt, 0)
    (line,) = dbt.operation("mview_restore", cascade=True, **ASKED)
    assert line.startswith(VIEW)


def test_cascade_is_refused_as_a_whole() -> None:
    dbt = twice()
    below(dbt, 1)
    with pytest.raises(DbtError, match=r"below: no refresh in its history read .*totals at or"):
        dbt.operation("mview_restore", cascade=True, **ASKED)
    assert dbt.engine.writes == []
    dbt.operation("mview_restore", **ASKED)


def test_nothing_is_left_for_the_end_of_the_run() -> None:
    dbt = twice()
    dbt.operation("mview_restore", **ASKED)
    assert outcomes(dbt) == {}
