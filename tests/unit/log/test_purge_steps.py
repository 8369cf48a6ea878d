"""The steps of a purge: lock, row, batches, end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import micros
from ..kit.harness import Dbt, DbtError
from ..kit.log_scenes import LOG, a_log, a_purge, change, later, log_engine, logged, run_log
from ..kit.parsing import parse
from ..kit.records import as_purge

# A purge that begins.


def test_job() -> None:
    dbt = logged(1)
    job = dbt("_purge_job", LOG, "automatic", 5, True)
    assert (job["method"], job["batch_size"], job["dry_run"]) == ("automatic", 5, True)
    assert job["owner"] == dbt.invocation_id and len(job["id"]) == 32
    assert dbt("_purge_job", "c.s.other", "manual")["id"] != job["id"]


# The lock of a log, NOWAIT.


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


# The lock again, for one more batch.


@pytest.mark.parametrize(
    ("owner", "token", "kept"), [("me", 3, True), ("me", 4, False), ("other", 3, False)]
)
def test_kept(owner: str, token: int, kept: bool) -> None:
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": owner, "lock_token": token, "lease_until": 1}
    assert dbt("_keep_lock", a_log(dbt), a_purge()) is kept


def test_a_dry_run_keeps_what_it_never_had() -> None:
    dbt = logged(1)
    assert dbt("_keep_lock", a_log(dbt), a_purge(dry_run=True)) is True


# A purge has a row in history from its lock on.


@pytest.mark.parametrize(("took_over", "dead"), [(True, "failed"), (False, "running")])
def test_opened(took_over: bool, dead: str) -> None:
    dbt = logged(1)
    log_engine(dbt).purges["dead"] = {"mlog_id": LOG, "purge_status": "running", "purge_rows": 0}
    dbt("_open_purge", a_log(dbt), a_purge(took_over=took_over))
    states = [row["purge_status"] for row in log_engine(dbt).purges.values()]
    assert states == [dead, "running"]


# A log begins later before its rows go.


@pytest.mark.parametrize(
    ("version", "later", "noted"), [(4, 1, True), (2, 1, False), (1, 1, False), (4, -1, True)]
)
def test_noted(version: int, later: int, noted: bool) -> None:
    """Also where the clock went back since the log began."""
    dbt = logged(1)
    log_ = a_log(dbt)
    began = log_["coverage"]["start"]["commit_time"]
    safe = {"version": version, "commit_time": began + later, "dependents": [1]}
    dbt("_note_purge", log_, a_purge(safe=safe))
    start = a_log(dbt)["coverage"]["start"]
    assert ("note_purge" in dbt.engine.steps) is noted
    raised = {"version": 4, "commit_time": began + max(later, 0)}
    assert start == (raised if noted else log_["coverage"]["start"])


# What the next batch deletes.


def test_next() -> None:
    dbt = logged(1)
    safe = {"version": 5}
    first = dbt("_next_batch", a_log(dbt), a_purge(safe=safe, batch_size=2))
    assert first == {"upto": 4, "files": 2, "rows": 5}
    rest = dbt("_next_batch", a_log(dbt), a_purge(safe=safe, upto=4, batch_size=2))
    assert rest == {"upto": 5, "files": 1, "rows": 1}
    none = dbt("_next_batch", a_log(dbt), a_purge(safe=safe, upto=5))
    assert none == {"upto": None, "files": 0, "rows": 0}


def test_a_log_of_few_files_goes_in_one_and_is_not_counted() -> None:
    """Unless it is a dry run, which tells the rows."""
    dbt = logged(1)
    log_, job = a_log(dbt), a_purge(batches=0, safe={"version": 5}, batch_size=4)
    dbt.engine.forget()
    assert dbt("_next_batch", log_, job) == {"upto": 5, "files": 3, "rows": None}
    assert dbt.engine.steps == ["read_describe_detail"]
    assert dbt("_next_batch", log_, {**job, "batch_size": 3})["rows"] == 6
    assert dbt("_next_batch", log_, as_purge({**job, "dry_run": True}))["rows"] == 6


# How many files a batch may remove.


@pytest.mark.parametrize(
    ("given", "size"),
    [(None, 7), (1, 1), ("1000000", 1_000_000), (" 5 ", 5)]
    + [(bad, 100_000) for bad in (0, -1, 1_000_001, "1e3", "many", "", 1.5, 10**30)],
)
def test_size(given: Any, size: int) -> None:
    dbt = Dbt(variables={"dbt_mview:purge_batch_size": 7})
    assert dbt("_purge_batch_size", given) == size
    assert [f"'{str(given).strip()}'" in text for text in dbt.warned] == [True] * (size == 100_000)


@pytest.mark.parametrize(("value", "size"), [(0, 100_000), (12, 12)])
def test_of_the_var(value: int, size: int) -> None:
    assert Dbt(variables={"dbt_mview:purge_batch_size": value})("_purge_batch_size") == size


def test_default() -> None:
    dbt = Dbt()
    assert dbt("_purge_batch_size") == 100_000 and dbt.warned == []


# One batch of a purge.


def test_the_first_has_its_lock_already() -> None:
    dbt = logged(1)
    job = a_purge(batches=0, rows=0, safe={"version": 4})
    dbt("_purge_batch", a_log(dbt), job)
    assert "keep_lock" not in dbt.engine.steps
    assert (job["rows"], job["batches"], job["upto"], job["ended"]) == (5, 1, 4, True)


def test_none_is_left() -> None:
    dbt = logged(1)
    job = a_purge(safe={"version": 2})
    dbt("_purge_batch", a_log(dbt), job)
    assert job["ended"] and not job["stopped"] and dbt.engine.writes == []


def test_the_lock_is_gone() -> None:
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "other", "lock_token": 3}
    job = a_purge()
    dbt("_purge_batch", a_log(dbt), job)
    assert job["ended"] and job["stopped"] and job["rows"] == 6
    assert dbt.engine.steps[-1] == "keep_lock"


@pytest.mark.parametrize("batches", [0, 1])
def test_the_log_began_anew(batches: int) -> None:
    """Over a base that was created anew: its versions are others than those that no view needs."""
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    job, log_ = a_purge(batches=batches), a_log(dbt)
    properties = dbt.engine.tables[LOG].properties
    anew = {**json.loads(properties["dbt_mview.mlog"]), "start": {"version": 1, "commit_time": 9}}
    properties["dbt_mview.mlog"] = json.dumps(anew)
    dbt("_purge_batch", log_, job)
    assert job["ended"] and job["stopped"] and "purge_batch" not in dbt.engine.steps


# What a batch deleted, by its own commit.


def test_of_this_batch_alone() -> None:
    dbt = logged(1)
    job = a_purge(batches=0)
    engine = log_engine(dbt)
    engine._delete(LOG, 3, dbt("_batch_mark", job))
    engine._delete(LOG, 4, "another-0")
    assert dbt("_deleted", a_log(dbt), job) == {"rows": 4, "files": 1}
    assert dbt("_deleted", a_log(dbt), a_purge(batches=1)) == {"rows": 0, "files": 0}


def test_marks_differ() -> None:
    dbt = logged(1)
    marks = {dbt("_batch_mark", a_purge(batches=number)) for number in range(3)}
    assert len(marks) == 3


# A batch that failed.


def test_history_comes_before_the_error() -> None:
    dbt = logged(1)
    engine, job = log_engine(dbt), a_purge()
    engine.broken = True
    engine.log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    engine.purges[job["id"]] = {"mlog_id": LOG, "purge_status": "running", "purge_rows": 0}
    sql = dbt("_purge_batch_sql", a_log(dbt), job, 4)
    with pytest.raises(RuntimeError, match="APPEND_ONLY"):
        dbt("_fail_purge", a_log(dbt), job, sql)
    assert engine.steps[-4:] == ["close_purge", "close_purge", "read_properties", "purge_batch"]
    assert engine.purges[job["id"]]["purge_status"] == "failed"
    engine.broken = False
    engine.purges[job["id"]]["purge_status"] = "running"
    with pytest.raises(DbtError, match="went through when it was run again"):
        dbt("_fail_purge", a_log(dbt), job, sql)


def test_a_log_that_began_anew_is_left_alone() -> None:
    dbt = logged(1)
    engine, job, log_ = log_engine(dbt), a_purge(), a_log(dbt)
    engine.log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    engine.purges[job["id"]] = {"mlog_id": LOG, "purge_status": "running", "purge_rows": 0}
    log_["coverage"]["began"] = {"version": 77, "commit_time": 9}
    with pytest.raises(DbtError, match="the log was rebuilt meanwhile"):
        dbt("_fail_purge", log_, job, dbt("_purge_batch_sql", log_, job, 4))
    assert "purge_batch" not in engine.steps


# The end of a purge.


@pytest.mark.parametrize(
    ("stopped", "reason", "status", "purged"),
    [(False, None, "success", 4), (True, None, "success", None), (False, "x", "failed", None)],
)
def test_closed(stopped: bool, reason: str | None, status: str, purged: int | None) -> None:
    dbt = logged(1)
    job = a_purge(stopped=stopped)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
    log_engine(dbt).purges[job["id"]] = {"mlog_id": LOG, "purge_status": "running", "purge_rows": 0}
    dbt("_close_purge", a_log(dbt), job, reason)
    row = log_engine(dbt).log_rows[LOG]
    assert (row["lock_owner"], row.get("last_purged_version")) == (None, purged)
    assert row.get("failures") == (1 if reason else None)
    closed = log_engine(dbt).purges[job["id"]]
    assert (closed["purge_status"], closed["purge_rows"]) == (status, 6)


def test_the_lock_of_somebody_else_stays() -> None:
    dbt = logged(1)
    job = a_purge()
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "other", "lock_token": 4}
    log_engine(dbt).purges[job["id"]] = {"mlog_id": LOG, "purge_status": "running", "purge_rows": 0}
    dbt("_close_purge", a_log(dbt), job)
    assert log_engine(dbt).log_rows[LOG] == {"lock_owner": "other", "lock_token": 4}


def test_nothing_to_purge_is_one_row() -> None:
    dbt = logged(1)
    dbt("_record_nothing", a_log(dbt), a_purge(rows=0))
    assert [row["purge_status"] for row in log_engine(dbt).purges.values()] == ["success"]


PLAN = {"schedule": {"every": 60}, "next_time": 99}
UNPLANNED = dict.fromkeys(PLAN)


def test_a_plan_moves_with_the_success_alone() -> None:
    for stopped, reason, moved in (
        (False, None, PLAN),
        (True, None, UNPLANNED),
        (False, "x", UNPLANNED),
    ):
        dbt = logged(1)
        job = a_purge(stopped=stopped, plan=PLAN)
        log_engine(dbt).log_rows[LOG] = {"lock_owner": "me", "lock_token": 3}
        log_engine(dbt).purges[job["id"]] = {
            "mlog_id": LOG,
            "purge_status": "running",
            "purge_rows": 0,
        }
        dbt("_close_purge", a_log(dbt), job, reason)
        row = log_engine(dbt).log_rows[LOG]
        assert {key: row[key] for key in PLAN} == moved


def test_a_plan_moves_when_there_is_nothing_to_purge() -> None:
    dbt = logged(1)
    dbt("_record_nothing", a_log(dbt), a_purge(rows=0, plan=PLAN))
    row = log_engine(dbt).log_rows[LOG]
    assert {key: row[key] for key in PLAN} == PLAN


# The statement that says what the next batch deletes.


def test_next_batch(golden: Golden) -> None:
    sql = Dbt()("_next_batch_sql", {"name": "`s`.`log`"}, a_purge(upto=2)).strip()
    golden("next_batch", sql)
    assert parse(sql)


# The statement of one batch.


def test_purge_batch(golden: Golden) -> None:
    sql = Dbt()("_purge_batch_sql", {"name": "`s`.`log`"}, a_purge(), 4).strip()
    golden("purge_batch", sql)
    assert parse(sql)
