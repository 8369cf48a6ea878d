"""A scheduled purge that failed, wherever: it has ended, counts, and nobody waits for its lock."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, Model
from ...kit.log_scenes import LOG, beside, later, log_engine, log_model, logged, run_log

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
