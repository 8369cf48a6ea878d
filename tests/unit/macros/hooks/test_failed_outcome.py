"""What a failed model leaves in state."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ...kit.engine import micros, outcome_rows
from ...kit.harness import Dbt, Model, NodeResult
from ...kit.lexer import has_variable, skeleton
from ...kit.nasty import WORST
from ...kit.scenes import OTHER, VIEW, again, built, change_source, lock, new


def failed(dbt: Dbt, message: str, job: Any = None, outcome: Any = None) -> Any:
    dbt("_memory")["ensured"] = True
    node = SimpleNamespace(**Model().node())
    return dbt("_failed_outcome", NodeResult(node, "error", message), job, outcome)


def test_before_the_lock() -> None:
    outcome = failed(Dbt(), "no such column")
    assert (outcome["mview_id"], outcome["result"], outcome["token"]) == (VIEW, "failed", None)
    assert outcome["failed_reason"] == "no such column"
    assert outcome["sources"] is None and outcome["target_version"] is None


def test_after_the_publish() -> None:
    """The next run knows what is left to do."""
    done = {"result": "success", "failed_reason": None, "spec": {"a": 1}}
    outcome = failed(Dbt(), "no such user", outcome=done)
    assert outcome == {
        "result": "success",
        "failed_reason": "published, but failed afterwards: no such user",
        "spec": {"a": 1, "unfinished": True},
    }
    assert failed(Dbt(), "x", outcome={"result": "success", "spec": None})["spec"] is None


def test_after_a_skip() -> None:
    """Grants, comments or a hook failed that an earlier run had left to do."""
    outcome = failed(Dbt(), "no such user", outcome={"type": "skip", "spec": None})
    told = "nothing was to be refreshed, but failed afterwards: no such user"
    assert outcome["failed_reason"] == told


def test_busy_writes_nothing_and_leaves_the_lock_of_the_other() -> None:
    dbt = built()
    lock(dbt)
    dbt.run()
    state = dbt.engine.states[VIEW]
    assert (state["lock_owner"], state["last_refresh_result"]) == (OTHER, "running")
    assert "record" not in dbt.engine.steps


def test_state_that_cannot_be_used_is_not_written() -> None:
    dbt = Dbt()
    node = SimpleNamespace(**Model().node())
    assert dbt("_failed_outcome", NodeResult(node, "error", "x"), None, None) is None


def test_published_all_the_same() -> None:
    """The engine reported an error for a commit that is there."""
    dbt = built()
    change_source(dbt)
    publish = dbt.engine._do_publish

    def then_fail(sql: str) -> Any:
        publish(sql)
        raise RuntimeError("connection lost")

    dbt.engine._do_publish = then_fail  # type: ignore[method-assign]
    (result,) = dbt.run()
    assert result.message == "connection lost"
    state = dbt.engine.states[VIEW]
    assert (state["last_refresh_result"], state["target_version"]) == ("success", 1)
    assert state["last_refresh_failed_reason"] == (
        "published, but failed afterwards: connection lost"
    )


@pytest.mark.parametrize("step", ["acquire", "fence", "recover"])
def test_what_a_dead_holder_left_is_not_forgotten(step: str) -> None:
    """Failed while taking over: the lock goes back to the dead one, because its row alone knows
    what is to undo; its lease is over, and its token is not its own any more."""
    dbt = built()
    change_source(dbt)
    lock(dbt, lease_until=micros(1))
    execute = dbt.engine.execute

    def then_fail(name: str, sql: str) -> Any:
        answer = execute(name, sql)
        if name == step:
            raise RuntimeError("connection lost")
        return answer

    dbt.engine.execute = then_fail  # type: ignore[method-assign]
    dbt.run()
    state = dbt.engine.states[VIEW]
    assert (state["last_refresh_result"], state["lock_owner"]) == ("failed", OTHER)
    assert state["last_refresh_failed_reason"] == "connection lost"
    assert (state["refresh_job_id"], state["lock_token"]) == ("job-of-the-other", 6)
    assert state["lease_until"] == micros(dbt.engine.minute)
    assert "holder" not in (state["intent"] or {})
    dbt.engine.execute = execute  # type: ignore[method-assign]
    dbt.engine.minute += 1
    dbt = again(dbt, invocation_id="third")
    (result,) = dbt.run()
    assert result.status == "success"
    dropped = [one.sql for one in dbt.engine.log if one.step == "recover"]
    dropped = [sql for sql in dropped if "drop table" in sql]
    assert "`mview_stage_job-of-the-other`" in dropped[0] and len(dropped) == 1


@pytest.mark.parametrize("text", WORST)
def test_no_error_text_changes_the_statements(text: str) -> None:
    written = []
    for message in (text, "plain"):
        dbt = new()
        dbt.engine.on["publish"] = _raising(message)
        dbt.run()
        written.append([one.sql for one in dbt.engine.log if one.step == "record"])
    for nasty, plain in zip(*written, strict=True):
        assert skeleton(nasty) == skeleton(plain)
        assert not has_variable(nasty)
        (row,) = outcome_rows(nasty.split("set tries = 100")[0])
        assert row["failed_reason"] == text


def _raising(message: str) -> Any:
    def refuse(sql: str) -> None:
        raise RuntimeError(message)

    return refuse
