"""A run dies, or the engine fails, at each of its statements: the next run makes it good.

The pretended engine stands still where the run stopped, either before a statement took effect
or right after it. What must hold after the next run is the same everywhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from .kit.deaths import Killed, restart, stop_at
from .kit.engine import Delta, Foreign, View
from .kit.harness import Dbt, Model
from .kit.scenes import (
    FOLLOWER,
    OTHER,
    SOURCE,
    VIEW,
    again,
    built,
    change_source,
    changed,
    new,
    of_rows,
    small,
    with_feed,
)

Scene = Callable[[], Dbt]


def first_build() -> Dbt:
    return new()


def insert() -> Dbt:
    dbt = built()
    change_source(dbt)
    return dbt


def replace() -> Dbt:
    return built(model=Model(config={"partition_by": ["customer"]}))


def alter() -> Dbt:
    dbt = built(model=Model(config={"tblproperties": {"a": "1"}}))
    change_source(dbt)
    return dbt


def audited() -> Dbt:
    dbt = built(model=Model(config={"audit": ["total > 0"]}))
    dbt.engine.audit = [0]
    change_source(dbt)
    return dbt


def groups_by_changes() -> Dbt:
    return changed()


def groups_at_once() -> Dbt:
    return small(groups_by_changes())


def undecided_at_once() -> Dbt:
    dbt = groups_at_once()
    dbt.engine.undecided = True
    return dbt


def rows_by_changes() -> Dbt:
    dbt = of_rows(groups_by_changes())
    dbt.engine.tables[SOURCE].commit(41, "DELETE", numDeletedRows=1)
    return dbt


def new_rows() -> Dbt:
    return of_rows(groups_by_changes())


def changes_that_cancel_out() -> Dbt:
    dbt = groups_by_changes()
    dbt.engine.staged = [0, 0]
    return dbt


def changes_that_are_gone() -> Dbt:
    dbt = groups_by_changes()
    dbt.engine.feed_is_there = False
    return dbt


def invariant_broken() -> Dbt:
    dbt = groups_by_changes()
    dbt.engine.breaks = [1, 0]
    return dbt


def rows_that_are_gone() -> Dbt:
    dbt = new_rows()
    dbt.engine.feed_is_there = False
    return dbt


def compacted() -> Dbt:
    dbt = with_feed(built())
    dbt.engine.tables[SOURCE].commit(40, "OPTIMIZE")
    return dbt


def nothing_new() -> Dbt:
    dbt = built(Model(config={"refresh": "complete"}))
    change_source(dbt)
    dbt.engine.rows = 0
    return dbt


def deferred() -> Dbt:
    return new(Model(config={"build": "deferred"}))


def difference() -> Dbt:
    """COMPLETE of a view that a view over it follows."""
    model = Model(config={"refresh": "complete"})
    dbt = again(built(model), model, FOLLOWER)
    change_source(dbt)
    return dbt


def no_difference() -> Dbt:
    dbt = difference()
    dbt.engine.staged = [0, 0]
    return dbt


def in_place_of_a_view() -> Dbt:
    dbt = new()
    dbt.engine.tables[VIEW] = View("select 1", [("a", "int")])
    return dbt


def in_place_of_parquet() -> Dbt:
    dbt = new()
    dbt.engine.tables[VIEW] = Foreign()
    return dbt


SCENES = [
    first_build, insert, replace, alter, audited, deferred, in_place_of_a_view,
    in_place_of_parquet, groups_by_changes, rows_by_changes, new_rows, changes_that_cancel_out,
    changes_that_are_gone, rows_that_are_gone, compacted, nothing_new, groups_at_once,
    undecided_at_once, difference, no_difference, invariant_broken,
]  # fmt: skip


@functools.cache
def writes_of(scene: Scene) -> list[str]:
    """The statements of a run of this scene that nothing disturbs."""
    dbt = scene()
    assert [result.status for result in dbt.run()] == ["success"]
    steps = [one.step for one in dbt.engine.writes]
    return [step for step in steps if step != "grants"]


def points(scenes: list[Scene] = SCENES, deaths: bool = False) -> list[Any]:
    """(scene, number of the statement, whether it took effect).

    deaths: to die before a statement is to die after the one before it.
    """
    found = []
    for scene in scenes:
        for number, step in enumerate(writes_of(scene)):
            for done in (False, True) if number == 0 or not deaths else (True,):
                name = f"{scene.__name__}-{number}-{step}-{'after' if done else 'before'}"
                found.append(pytest.param(scene, number, done, id=name))
    return found


def check(dbt: Dbt) -> None:
    """What must hold after a run that was not disturbed."""
    engine = dbt.engine
    state, view = engine.states[VIEW], engine.tables[VIEW]
    assert state["last_refresh_result"] == "success"
    assert state["lock_owner"] is None and state["intent"] is None
    assert isinstance(view, Delta)
    newest = [commit.version for commit in view.commits if commit.ours]
    assert state["target_version"] == newest[-1]
    deferred = state["last_successful_refresh_read_time"] is None
    assert deferred or [source["version"] for source in state["sources"]] == [
        engine.tables[SOURCE].commits[-1].version
    ]
    assert state["definition"] == dbt.models[0].sql and state["spec"]
    assert sorted(engine.tables) == [SOURCE, VIEW], "something was left behind"


@pytest.mark.parametrize(("scene", "number", "done"), points(deaths=True))
def test_a_run_that_dies(scene: Scene, number: int, done: bool) -> None:
    dead = scene()
    stop_at(dead, number, done, Killed())
    with pytest.raises(Killed):
        dead.run()
    dbt = restart(dead, minutes=120)
    assert [result.status for result in dbt.run()] == ["success"]
    check(dbt)
    check_skips(dbt)


@pytest.mark.parametrize(
    ("scene", "number", "done"),
    points(scenes=[insert, groups_by_changes, in_place_of_a_view], deaths=True),
)
def test_a_run_whose_lease_is_not_over_stays_alone(scene: Scene, number: int, done: bool) -> None:
    """Before the lease is over, a second run does nothing, or finds that all is published."""
    dead = scene()
    stop_at(dead, number, done, Killed())
    with pytest.raises(Killed):
        dead.run()
    dbt = restart(dead)
    (result,) = dbt.run()
    if result.status == "success":
        check(dbt)
    else:
        assert "is refreshing" in result.message
        assert dbt.engine.writes == []


@pytest.mark.parametrize(("scene", "number", "done"), points())
def test_a_statement_that_fails(scene: Scene, number: int, done: bool) -> None:
    """The engine's error: noted by on-run-end, lock free at once, made good by the next run."""
    failed = scene()
    stop_at(failed, number, done, RuntimeError("disk full"))
    try:
        (result,) = failed.run()
    except RuntimeError:
        minutes = 120.0  # on-run-end itself failed: as if the run had died
    else:
        minutes = 0.0
        assert (result.status, result.message) == ("error", "disk full")
        state = failed.engine.states.get(VIEW) or {}
        assert state.get("lock_owner") is None
    dbt = restart(failed, minutes)
    assert [result.status for result in dbt.run()] == ["success"]
    check(dbt)
    check_skips(dbt)


@pytest.mark.parametrize("scene", SCENES)
def test_each_statement_is_sent_twice(scene: Scene) -> None:
    """dbt-spark sends a statement again whose connection broke after it had its effect."""
    dbt = scene()
    execute = dbt.engine.execute

    def twice(step: str, sql: str) -> Any:
        answer = execute(step, sql)
        return answer if step.startswith("read_") or "swap" in step else execute(step, sql)

    dbt.engine.execute = twice  # type: ignore[method-assign]
    assert [result.status for result in dbt.run()] == ["success"]
    del dbt.engine.execute
    check(dbt)
    check_skips(dbt)


def check_skips(dbt: Dbt) -> None:
    """Then nothing is left to do, but for the first data of a deferred view."""
    after = again(dbt, invocation_id="after")
    (result,) = after.run()
    assert result.status == "success"
    assert dbt.models[0].config.get("build") or result.message.startswith("SKIP"), result.message


TAKEN_OVER = [
    first_build, replace, deferred, insert, audited, groups_by_changes, groups_at_once,
    undecided_at_once, rows_by_changes, new_rows, difference,
]  # fmt: skip


@pytest.mark.parametrize("scene", TAKEN_OVER)
def test_a_slow_run_that_was_taken_over(scene: Scene) -> None:
    """It wakes up right before its publish: that fails, and the other's result stays."""
    slow = scene()
    engine = slow.engine
    done: list[str] = []

    def take_over(sql: str) -> None:
        engine.on.clear()
        engine.minute += 120
        other = Dbt(engine, *slow.models, invocation_id=OTHER)
        assert [result.status for result in other.run()] == ["success"]
        done.append(str(engine.states[VIEW]["target_version"]))

    engine.on["publish"] = take_over
    (result,) = slow.run()
    assert result.status == "error" and "lock lost" in result.message
    assert [str(engine.states[VIEW]["target_version"])] == done
    check(slow)
