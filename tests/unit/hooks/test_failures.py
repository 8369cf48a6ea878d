"""What a failed model or purge leaves, in state and for people."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ..kit.engine import Foreign, View, micros, outcome_rows
from ..kit.harness import Dbt, Model, NodeResult
from ..kit.lexer import has_variable, skeleton
from ..kit.log_scenes import LOG, beside, later, log_engine, log_model, logged, run_log
from ..kit.nasty import WORST
from ..kit.scenes import OTHER, SOURCE, VIEW, again, built, change_source, lock, new, outcomes

# What a failed model leaves in state.


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
    done = {"result": "success", "type": "fast", "failed_reason": None, "spec": {"a": 1}}
    outcome = failed(Dbt(), "no such user", outcome=done)
    assert outcome == {
        "result": "success",
        "type": "fast",
        "failed_reason": "published, but failed afterwards: no such user",
        "spec": {"a": 1, "unfinished": True},
    }
    assert failed(Dbt(), "x", outcome={"type": "fast", "spec": None})["spec"] is None


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


# What a failed refresh left is taken away.


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


# A scheduled purge that failed, wherever: it has ended, counts, and nobody waits for its lock.


HOURLY = {"purge": {"every": "1 hour"}}


def due() -> Dbt:
    """The next invocation of a log whose purge is due."""
    dbt = logged(2, log_model(**HOURLY))
    run_log(dbt)
    log_engine(dbt).log_rows[LOG]["next_time"] = micros(dbt.engine.minute) - 1
    return later(dbt)


def fail_at(dbt: Dbt, step: str, done: bool) -> None:
    """The engine refuses the first statement of a step, or loses it after it had its effect."""
    execute, failed = dbt.engine.execute, []

    def failing(name: str, sql: str) -> Any:
        if name != step or failed:
            return execute(name, sql)
        failed.append(name)
        if done:
            execute(name, sql)
        raise RuntimeError("disk full")

    dbt.engine.execute = failing  # type: ignore[method-assign]


def ended(dbt: Dbt) -> tuple[Any, ...]:
    row = log_engine(dbt).log_rows[LOG]
    statuses = [one["purge_status"] for one in log_engine(dbt).purges.values()]
    return row.get("lock_owner"), row.get("failures"), statuses


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "step", ["acquire_log", "open_purge", "note_purge", "read_state", "read_times", "close_purge"]
)
def test_failed(step: str, done: bool) -> None:
    dbt = due()
    fail_at(dbt, step, done)
    (result,) = dbt.run()
    assert (result.status, result.message) == ("error", "disk full")
    whole = "success" if step == "close_purge" and done else "failed"
    assert ended(dbt)[0] is None and ended(dbt)[2] in (["failed"], [whole])
    assert log_engine(dbt).log_rows[LOG]["failures"] == 1
    dbt = beside(dbt)
    del dbt.engine.execute
    dbt.engine.minute += 1  # it is tried again after 5 seconds
    run_log(dbt)
    assert ended(dbt)[:2] == (None, None)


def test_a_batch_that_failed_is_counted_once() -> None:
    dbt = due()
    log_engine(dbt).broken = True
    assert dbt.run()[0].status == "error"
    assert ended(dbt) == (None, 1, ["failed"])


def test_another_run_is_the_reason() -> None:
    """It came between the look and the lock."""
    dbt = due()
    held = {"lock_owner": "other", "lock_token": 9, "lock_time": 1}
    held["lease_until"] = micros(10**5)

    def quicker(_: str) -> None:
        log_engine(dbt).log_rows[LOG].update(held)

    dbt.engine.on["acquire_log"] = quicker
    assert "is purging" in dbt.run()[0].message
    assert ended(dbt) == ("other", None, [])


def test_what_fails_after_the_purge_is_no_failure_of_it() -> None:
    dbt = due()
    dbt.context["store_raw_result"] = lambda *_, **__: 1 / 0
    assert dbt.run()[0].status == "error"
    assert ended(dbt) == (None, None, ["success"])


def test_other_models_are_not_its_business() -> None:
    dbt = Dbt(None, Model("orders", materialized="table"))
    dbt("_failed_purges", [])
    assert dbt.engine.log == []


def test_a_capture_that_failed_counts_where_a_purge_was_due() -> None:
    """Otherwise whoever asks what is due runs it again at once."""
    dbt = due()
    fail_at(dbt, "read_describe_history", done=False)
    assert dbt.run()[0].status == "error"
    sql = dbt.engine.sql("schedule")
    assert f"mlog_id = '{LOG}'" in sql and "next_time <= current_timestamp()" in sql
    assert "failures = coalesce(failures, 0) + 1" in sql


def test_a_log_without_a_plan_has_none_to_move() -> None:
    dbt = later(logged(2))
    fail_at(dbt, "read_describe_history", done=False)
    assert dbt.run()[0].status == "error" and "schedule" not in dbt.engine.steps


# What an error of the engine means that says nothing to users.


@pytest.mark.parametrize("known", [True, False])
def test_deletion_vectors_that_delta_cannot_read(known: bool) -> None:
    dbt = built()
    change_source(dbt)
    message = "java.io.UTFDataFormatException: too long" if known else "disk full"

    def fail(_: str) -> None:
        raise RuntimeError(message)

    dbt.engine.on["publish"] = fail
    assert dbt.run()[0].message == message
    assert any("delta-io/delta#5662" in text for text in dbt.warned) is known


@pytest.mark.parametrize("kind", ["materialized_view_log", "table"])
def test_change_files_that_a_log_cannot_read(kind: str) -> None:
    node = SimpleNamespace(unique_id="model.p.x", config=SimpleNamespace(materialized=kind))
    dbt = Dbt()
    dbt("_hints", [NodeResult(node, "error", "[FAILED_READ_FILE.FILE_NOT_EXIST] part-1")])
    assert len(dbt.warned) == (kind != "table")
    assert all("--full-refresh" in text for text in dbt.warned)


@pytest.mark.parametrize(
    ("compiled", "told"), [("select * from t version as of 5 as a", 1), ("select 1", 0), (None, 0)]
)
def test_files_of_a_version_that_are_gone_are_explained(compiled: str | None, told: int) -> None:
    dbt = Dbt()
    config = SimpleNamespace(materialized="table")
    node = SimpleNamespace(unique_id="model.shop.x", config=config, compiled_code=compiled)
    dbt("_hints", [NodeResult(node, "error", "[FAILED_READ_FILE.FILE_NOT_EXIST] part-1")])
    assert len(dbt.warned) == told
    assert all("a VACUUM kept less than the table promises" in text for text in dbt.warned)


def test_a_column_with_a_length() -> None:
    dbt = built()
    change_source(dbt)

    def fail(_: str) -> None:
        raise RuntimeError("[DELTA_EXCEED_CHAR_VARCHAR_LIMIT] Value x exceeds")

    dbt.engine.on["publish"] = fail
    dbt.run()
    assert any("Rebuild it with --full-refresh" in text for text in dbt.warned)


@pytest.mark.parametrize("known", [True, False])
def test_an_engine_without_grants(known: bool) -> None:
    node = SimpleNamespace(unique_id="model.p.x", config=SimpleNamespace(materialized="mview"))
    statement = "show grants on" if known else "grant select on"
    dbt = Dbt()
    dbt("_hints", [NodeResult(node, "error", f"[PARSE_SYNTAX_ERROR] near 'on' {statement} x")])
    assert any("this engine has no grants" in text for text in dbt.warned) is known
