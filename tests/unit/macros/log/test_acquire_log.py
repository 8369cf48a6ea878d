"""The lock of a log, NOWAIT."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import LOG, a_log, a_purge, change, later, log_engine, logged, run_log


def job(dbt: Dbt, **values: Any) -> dict[str, Any]:
    looked = {"row": dbt("_read_log_row", LOG), "log": a_log(dbt), "needless": False}
    return a_purge(**{**looked, "token": None, "pass_over": False, **values})


def test_acquired() -> None:
    dbt = logged(1)
    one = job(dbt)
    dbt("_acquire_log", LOG, one)
    assert (one["token"], one["took_over"]) == (1, False)
    assert log_engine(dbt).log_rows[LOG]["lock_owner"] == "me"


def test_taken_over_from_the_dead() -> None:
    dbt = logged(1)
    row = {"lock_owner": "dead", "lock_token": 4, "lease_until": 1}
    log_engine(dbt).log_rows[LOG] = row
    one = job(dbt)
    dbt("_acquire_log", LOG, one)
    assert (one["token"], one["took_over"]) == (5, True)


def test_held() -> None:
    dbt = logged(1)
    row = {"lock_owner": "other", "lock_time": micros(1), "lease_until": micros(10**5)}
    log_engine(dbt).log_rows[LOG] = row
    with pytest.raises(DbtError, match=r"another run \(other, since 2024-.* nothing was purged"):
        dbt("_acquire_log", LOG, job(dbt))


def test_held_is_passed_over_among_others() -> None:
    dbt = logged(1)
    row = {"lock_owner": "other", "lock_time": micros(1), "lease_until": micros(10**5)}
    log_engine(dbt).log_rows[LOG] = row
    one = job(dbt, pass_over=True)
    dbt("_acquire_log", LOG, one)
    assert (one["token"], one["needless"], one["log"]) == (None, True, None)
    assert "another run is purging it" in dbt.warned[-1] and dbt.engine.writes == []


def test_somebody_else_is_quicker_every_time() -> None:
    dbt = logged(1)

    def changed(_: str) -> None:
        row = log_engine(dbt).log_rows[LOG]
        row["lock_token"] = (row.get("lock_token") or 0) + 1

    dbt.engine.on["acquire_log"] = changed
    with pytest.raises(DbtError, match="could not be taken in 20 tries"):
        dbt("_acquire_log", LOG, job(dbt))


def test_who_was_not_quick_enough_looks_again() -> None:
    """Another purge may have come between, and gone further."""
    dbt = logged(1)
    one = job(dbt)
    change(dbt, 80)
    run_log(later(dbt))

    def quicker(_: str) -> None:
        dbt.engine.on.clear()
        log_engine(dbt).log_rows[LOG].update(lock_token=1, last_purged_version=7)

    dbt.engine.on["acquire_log"] = quicker
    dbt("_acquire_log", LOG, one)
    assert (one["token"], one["safe"]["version"]) == (2, 8)
    assert one["log"]["coverage"]["captured"]["version"] == 8


def test_what_another_one_purged_meanwhile_needs_no_lock() -> None:
    dbt = logged(1)
    one = job(dbt)

    def quicker(_: str) -> None:
        dbt.engine.on.clear()
        later(dbt).operation("mlog_purge")

    dbt.engine.on["acquire_log"] = quicker
    dbt("_acquire_log", LOG, one)
    assert one["token"] is None and one["needless"]
    assert log_engine(dbt).log_rows[LOG]["lock_owner"] is None


def test_sent_twice() -> None:
    """The lock is ours, and what was looked at before it holds."""
    dbt = logged(1)
    one, execute = job(dbt), dbt.engine.execute

    def twice(step: str, sql: str) -> Any:
        answer = execute(step, sql)
        return execute(step, sql) if step == "acquire_log" else answer

    dbt.engine.execute = twice  # type: ignore[method-assign]
    dbt("_acquire_log", LOG, one)
    assert (one["token"], one["took_over"]) == (1, False)
    assert dbt.engine.steps.count("read_state") == 0
