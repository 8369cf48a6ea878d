"""What a failed refresh left is taken away."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Foreign, View
from ...kit.harness import Dbt, Model
from ...kit.scenes import SOURCE, VIEW, built, change_source, new, outcomes


def test_the_stage_goes() -> None:
    dbt = new(Model(config={"audit": "total > 0"}))
    dbt.engine.audit = [1]
    dbt.run()
    assert dbt.engine.steps.count("sweep") == 1
    assert not [name for name in dbt.engine.tables if "stage" in name]
    assert outcomes(dbt) == {}


@pytest.mark.parametrize("step", ["publish", "swap_out", "swap_in"])
@pytest.mark.parametrize("old", [View("select 1", []), Foreign()])
def test_the_chain_goes_back(old: Any, step: str) -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = old
    dbt.engine.on[step] = fail
    (result,) = dbt.run()
    assert result.message == "disk full"
    assert dbt.engine.tables[VIEW] is old
    assert sorted(dbt.engine.tables) == [SOURCE, VIEW]


def test_before_the_plan_there_is_nothing_to_undo() -> None:
    dbt = Dbt()
    assert dbt("_undo", {"publish": None}) is None
    assert dbt.engine.log == []


def fail(sql: str) -> None:
    raise RuntimeError("disk full")


def test_a_publish_that_may_still_run_is_fenced_before_it_is_looked_for() -> None:
    """dbt was told that it failed, the engine goes on; then the lock is free."""
    dbt = built()
    change_source(dbt)
    publish = dbt.engine._do_publish
    late: list[str] = []

    def lost(sql: str) -> None:
        late.append(sql.partition("\n")[2])
        raise RuntimeError("timed out")

    dbt.engine.on["publish"] = lost
    dbt.engine.on["fence"] = lambda _: publish(late[0])
    dbt.run()
    state = dbt.engine.states[VIEW]
    assert (state["last_refresh_result"], state["target_version"]) == ("success", 1)
    reason = "published, but failed afterwards: timed out"
    assert state["last_refresh_failed_reason"] == reason


@pytest.mark.parametrize(
    ("step", "message", "fenced"),
    [
        ("acquire", "disk full", False),
        ("publish", "disk full", True),
        ("publish", "[USER_RAISED_EXCEPTION] no SQLSTATE: P0001", False),
        # What is no error of Spark's own, such as a full disk, has no SQLSTATE.
        ("publish", "org.apache.hive.service.cli.HiveSQLException: Error running query: x", False),
    ],
)
def test_what_has_ended_in_the_engine_is_not_fenced(step: str, message: str, fenced: bool) -> None:
    dbt = built()
    change_source(dbt)

    def refuse(_: str) -> None:
        raise RuntimeError(message)

    dbt.engine.on[step] = refuse
    dbt.run()
    assert ("fence" in dbt.engine.steps) is fenced


def test_what_is_sent_after_the_lock_was_given_back() -> None:
    dbt = built()
    change_source(dbt)
    late: list[str] = []

    def lost(sql: str) -> None:
        late.append(sql.partition("\n")[2])
        raise RuntimeError("timed out")

    dbt.engine.on["publish"] = lost
    dbt.run()
    with pytest.raises(RuntimeError, match="lock lost"):
        dbt.engine._do_publish(late[0])
