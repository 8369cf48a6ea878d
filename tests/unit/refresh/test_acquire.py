"""Step acquire: the lock, its intent, and who may still be alive."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_job, as_spec
from ..kit.scenes import OTHER, VIEW, again, built, change_source, lock, new

# Step acquire.


def test_the_token_goes_up_with_every_refresh() -> None:
    dbt = built()
    assert dbt.engine.states[VIEW]["lock_token"] == 1
    dbt.engine.state(VIEW, last_refresh_result="failed")
    dbt.run()
    assert dbt.engine.states[VIEW]["lock_token"] == 2


def test_a_first_build_that_two_begin_at_once() -> None:
    """The MERGE finds a row that was not there a moment ago."""
    dbt = new()
    dbt.engine.on["acquire"] = lambda sql: VIEW not in dbt.engine.states and lock(dbt) and None
    (result,) = dbt.run()
    assert "is refreshing" in result.message
    assert "publish" not in dbt.engine.steps


def test_a_lock_that_was_taken_and_recovered_before_it_is_tried_again() -> None:
    """The connection broke, the lease ended, another run recorded a failure: another id then."""
    dbt = built()
    dbt.engine.state(VIEW, last_refresh_result="failed")
    tried: list[str] = []

    def recovered(sql: str) -> None:
        tried.append(sql)
        if len(tried) == 1:
            dbt.engine.state(VIEW, lock_token=5)

    dbt.engine.on["acquire"] = recovered
    assert [result.status for result in dbt.run()] == ["success"]
    first, second = (re.findall(r"job=(\w+)|refresh_job_id = '(\w+)'", sql) for sql in tried)
    assert first != second and len(tried) == 2
    assert dbt.engine.states[VIEW]["lock_token"] == 6


def test_a_lock_that_this_run_took_is_its_own() -> None:
    """The same statement twice: the second time it finds the lock held."""
    dbt = built()
    dbt.engine.state(VIEW, last_refresh_result="failed")
    execute, tried = dbt.engine.execute, []

    def recovered(sql: str) -> None:
        dbt.engine.on.clear()
        tried.append(execute("acquire", sql))

    dbt.engine.on["acquire"] = recovered
    assert [result.status for result in dbt.run()] == ["success"]
    assert tried and dbt.engine.states[VIEW]["lock_token"] == 2
    assert dbt.engine.states[VIEW]["lock_owner"] is None


@pytest.mark.parametrize("full_refresh", [False, True])
def test_check_row_missing(full_refresh: bool) -> None:
    dbt = built()
    spec = dbt("_spec_from_model")
    spec["full_refresh"] = full_refresh
    job = as_job({"target": dbt("_target", spec)})
    dbt("_check_row_missing", spec, job)
    del dbt.engine.states[VIEW]
    if full_refresh:
        dbt("_check_row_missing", spec, job)
        return
    with pytest.raises(DbtError, match=f"refresh info row missing for {VIEW}"):
        dbt("_check_row_missing", spec, job)


def test_a_view_that_another_run_built_since_this_one_began() -> None:
    """Its row was not there when this run read state; it is no lost one."""
    dbt = new()
    dbt("_on_run_start")
    other = Dbt(dbt.engine, invocation_id=OTHER)
    assert [result.status for result in other.run()] == ["success"]
    dbt("materialization_mview_spark")
    (message,) = dbt.messages.values()
    assert message.startswith("SKIP"), message


@pytest.mark.parametrize("meta", [None, '{"dbt_mview": {"mview_id": "another"}}'])
def test_a_table_that_is_not_ours_has_no_row_to_miss(meta: str | None) -> None:
    dbt = built()
    dbt.engine.tables[VIEW].commits[-1].meta = meta
    spec = dbt("_spec_from_model")
    dbt("_check_row_missing", spec, {"target": dbt("_target", spec)})


@pytest.mark.parametrize("location", [None, "/data"])
def test_a_view_that_was_dropped_and_is_built_anew(location: str | None) -> None:
    """In its location_root the table's log is still there, with the tokens that it has seen."""
    dbt = new(Model(config={"location_root": location}))
    dbt.run()
    token = dbt.engine.states[VIEW]["lock_token"]
    assert token == (dbt("_clock")["now"] // 1_000_000 + 1 if location else 1)


def test_a_row_that_is_lost_after_the_history_of_refreshes_was_cleaned() -> None:
    dbt = built()
    del dbt.engine.states[VIEW]
    for commit in dbt.engine.tables[VIEW].commits:
        commit.meta = None
    dbt = again(dbt)
    dbt.run()
    assert dbt.engine.states[VIEW]["lock_token"] > 1_000_000


def test_a_row_that_a_failed_run_began_knows_no_token() -> None:
    """State lost the row, a run failed before it took the lock, and noted that: tokens go on."""
    dbt = built()
    for _ in range(3):
        change_source(dbt)
        dbt = again(dbt)
        dbt.run()
    newest = dbt.engine.states[VIEW]["lock_token"]
    assert newest > 2
    del dbt.engine.states[VIEW]
    dbt = again(dbt)
    dbt.engine.on["read_explain"] = lambda _: 1 / 0
    assert dbt.run()[0].status == "error"
    assert dbt.engine.states[VIEW]["lock_token"] == 0
    for more in (1, 2):
        change_source(dbt)
        dbt = again(dbt)
        dbt.run()
        state = dbt.engine.states[VIEW]
        assert (state["last_refresh_result"], state["lock_token"]) == ("success", newest + more)
        assert state["target_version"] == dbt.engine.tables[VIEW].commits[-1].version


def test_a_row_of_an_older_version_of_state() -> None:
    """Somebody restored it: the view's own history knows the later tokens."""
    dbt = built()
    change_source(dbt)
    dbt = again(dbt)
    dbt.run()
    newest = dbt.engine.states[VIEW]["lock_token"]
    dbt.engine.state(VIEW, lock_token=newest - 1)
    change_source(dbt)
    dbt = again(dbt)
    dbt.run()
    assert dbt.engine.states[VIEW]["lock_token"] == newest + 1


# A lock that is held.


SPEC = as_spec({"mview_id": "c.s.v"})
HELD = {
    "lock_owner": "run0",
    "lock_time": micros(1),
    "lease_until": micros(61),
    "lease_over": False,
    "refresh_job_id": "job0",
    "intent": {"definition": "select 1"},
}
PUBLISHED = {"version": 4, "meta": {"refresh_job_id": "job0"}}


def check(state: Any, history: Any = (), force: bool = False) -> dict[str, Any]:
    job = as_job(
        {"state": state, "target": {"history": list(history)}, "force": force, "holder": None}
    )
    Dbt()("_check_lock", SPEC, job)
    return job


@pytest.mark.parametrize("state", [None, {**HELD, "lock_owner": None}])
def test_free(state: Any) -> None:
    assert check(state)["holder"] is None


def test_held() -> None:
    message = (
        r"^dbt_mview: another run \(run0, since 2024-03-01 00:01:00Z\) is refreshing c\.s\.v\. Its"
        r" lease ends 2024-03-01 01:01:00Z; if that run is dead, free the view now with `dbt"
        r" run-operation mview_recover --args '\{view: c\.s\.v\}'`\.$"
    )
    with pytest.raises(DbtError, match=message):
        check(HELD)


@pytest.mark.parametrize(
    ("state", "history", "force", "published"),
    [
        ({**HELD, "lease_over": True}, [], False, None),
        (HELD, [PUBLISHED], False, PUBLISHED),
        (HELD, [], True, None),
    ],
)
def test_to_be_recovered(state: Any, history: Any, force: bool, published: Any) -> None:
    assert check(state, history, force)["holder"] == {
        "job_id": "job0",
        "owner": "run0",
        "intent": {"definition": "select 1"},
        "lock_time": micros(1),
        "lease_until": micros(61),
        "published": published,
    }


# What a recovery needs to know.


INTENDED = {"definition": "select 1", "stored": {"a": 1}, "schema": "s", "identifier": "v"}


def test_plain() -> None:
    job = as_job({"id": "j1", "holder": None, "target": {"kind": "delta"}})
    assert Dbt()("_intent", INTENDED, job) == {"definition": "select 1", "spec": {"a": 1}}


def test_what_an_earlier_holder_left_is_handed_on() -> None:
    holder = {"job_id": "j0", "intent": {"holder": {"job_id": "j-1"}}, "published": {"x": 1}}
    job = as_job({"id": "j1", "holder": holder, "target": {"kind": "missing"}})
    intent = Dbt()("_intent", INTENDED, job)
    assert intent["holder"] == {"job_id": "j0", "intent": {"holder": {"job_id": "j-1"}}}
    assert "published" in holder


@pytest.mark.parametrize("kind", ["view", "parquet"])
def test_names_of_a_rename_chain(kind: str) -> None:
    job = as_job({"id": "j1", "holder": None, "target": {"kind": kind}})
    assert Dbt()("_intent", INTENDED, job)["swap"] == {
        "schema": "s",
        "identifier": "v",
        "kind": kind,
        "new": "dbt_mview_new_j1",
        "backup": "dbt_mview_backup_j1",
    }


# Fencing a holder that may still be alive.


FENCED = {"name": "`shop`.`v`", "mview_id": "spark_catalog.shop.v"}
JOB = as_job({"id": "j", "dry_run": False, "token": 7, "target": {"kind": "delta"}})


def test_fence(golden: Golden) -> None:
    dbt = Dbt()
    dbt.engine.tables["spark_catalog.shop.v"] = delta(1)
    dbt("_fence", FENCED, JOB)
    assert dbt.engine.steps == ["fence"]
    golden("fence", dbt.engine.sql("fence"))


@pytest.mark.parametrize("kind", ["missing", "view", "parquet"])
def test_only_a_delta_table_can_be_fenced(kind: str) -> None:
    dbt = Dbt()
    dbt("_fence", FENCED, {**JOB, "target": {"kind": kind}})
    assert dbt.engine.log == []


# on_lock: what a run does that finds the view locked.


def locked(**config: Any) -> Dbt:
    """The source has changed, and another run holds the view."""
    dbt = built(model=Model(config=config))
    change_source(dbt)
    lock(dbt)
    return dbt


@pytest.mark.parametrize("by_var", [False, True])
def test_skip_leaves_the_view_to_the_other_run(by_var: bool) -> None:
    dbt = locked(**({} if by_var else {"on_lock": "skip"}))
    if by_var:
        dbt = again(dbt, Model(), variables={"dbt_mview:on_lock": "skip"})
    row = dict(dbt.engine.states[VIEW])
    (result,) = dbt.run()
    assert result.status == "success"
    assert re.fullmatch(rf"SKIP another run \({OTHER}, since .*\) is refreshing it", result.message)
    assert dbt.engine.states[VIEW] == row, "the other run's row is not touched"
    assert not {"acquire", "publish", "record", "history", "grants"} & set(dbt.engine.steps)
    (outcome,) = dbt("_memory")["outcomes"].values()
    assert (outcome["type"], outcome["noted"]) == ("skip", False)


def test_skip_where_the_other_run_is_quicker_at_the_lock() -> None:
    dbt = built(model=Model(config={"on_lock": "skip"}))
    change_source(dbt)
    dbt.engine.on["acquire"] = lambda sql: lock(dbt) and None
    (result,) = dbt.run()
    assert result.status == "success" and "is refreshing it" in result.message
    assert "publish" not in dbt.engine.steps


def test_what_a_dead_run_holds_is_not_skipped() -> None:
    dbt = locked(on_lock="skip")
    lock(dbt, lease_until=micros(1))
    (result,) = dbt.run()
    assert result.status == "success" and not result.message.startswith("SKIP")


@pytest.mark.parametrize("done", [True, False])
def test_wait(done: bool) -> None:
    dbt = locked(on_lock="wait", lock_wait=3)
    naps: list[str] = []

    def nap(sql: str) -> None:
        naps.append(sql)
        if done and len(naps) == 2:
            dbt.engine.state(VIEW, lock_owner=None, lease_until=None, last_refresh_result="failed")

    dbt.engine.on["read_nap"] = nap
    (result,) = dbt.run()
    assert len(naps) == (2 if done else 3), "the clock of tests stands still"
    assert any("waits up to 3 s for run" in line for line in dbt.logged)
    if done:
        assert result.status == "success" and "publish" in dbt.engine.steps
    else:
        assert f"another run ({OTHER}" in result.message and "publish" not in dbt.engine.steps


def test_an_engine_that_cannot_wait() -> None:
    dbt = locked(on_lock="wait")
    dbt.engine.runs = False
    (result,) = dbt.run()
    assert "on_lock is 'wait', and this engine has no java_method()" in result.message


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"on_lock": "maybe"}, "on_lock is 'maybe'. Use one of: fail, skip, wait."),
        ({"lock_wait": -1}, "lock_wait is '-1'. Give whole seconds from 1 to 86400"),
        ({"lock_wait": "long"}, "lock_wait is 'long'. Give"),
        ({"on_lock": "skip", "refresh_group": "g"}, "it belongs to a refresh_group, which is"),
        ({"on_lock": "wait", "refresh_group": "g"}, "it belongs to a refresh_group, which is"),
    ],
)
def test_on_lock_refused(config: Any, message: str) -> None:
    with pytest.raises(DbtError) as error:
        new(Model(config=config))("_spec_from_model")
    assert message in str(error.value)


def test_members_of_a_group_fail_at_a_lock_whatever_the_var_says() -> None:
    model = Model(config={"refresh_group": "g"})
    dbt = new(model, variables={"dbt_mview:on_lock": "skip"})
    assert dbt("_on_lock", SPEC) == "fail"
    assert new(variables={"dbt_mview:on_lock": "skip"})("_on_lock", SPEC) == "skip"
