"""mview_recover: a view, a lost row, all that an invocation holds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.deaths import Killed
from ..kit.engine import micros
from ..kit.harness import Dbt, DbtError
from ..kit.log_engine import LogEngine
from ..kit.log_scenes import LOG, started
from ..kit.parsing import parse
from ..kit.scenes import OTHER, VIEW, again, built, change_source, lock, new, transcript

# mview_recover.


def test_at_once_whatever_the_lease_says(golden: Golden) -> None:
    dbt = built()
    lock(dbt, last_refresh_time=micros(600))
    dbt.operation("mview_recover", view="totals")
    golden("operation_recover", transcript(dbt, "mview_recover: fenced, undone, free"))
    state = dbt.engine.states[VIEW]
    assert (state["lock_owner"], state["lock_token"]) == (None, 6)
    assert state["last_refresh_failed_reason"].startswith("the run did not finish; its lock was")
    assert state["sources"][0]["version"] == 2, "the last success is not forgotten"


def test_the_next_run_refreshes() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    (result,) = again(dbt, invocation_id="third").run()
    assert result.message == "FAST v0, 0 rows: the last refresh failed (no changed rows)"
    assert again(dbt, invocation_id="fourth").run()[0].message.startswith("SKIP")


def test_all_whose_lease_is_over() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover")
    assert dbt.engine.states[VIEW]["lock_owner"] == OTHER
    lock(dbt, lease_until=micros(1))
    again(dbt).operation("mview_recover")
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def test_the_lock_is_held_until_the_last_of_several_is_recorded() -> None:
    """One died, and the one that took over from it before it had recovered it."""
    dbt = built()
    change_source(dbt)
    lock(dbt, lease_until=micros(1))

    def killed(_: str) -> None:
        raise Killed

    dbt.engine.on["recover"] = killed
    with pytest.raises(Killed):
        dbt.run()
    dbt.engine.on.clear()
    dbt.engine.minute += 120
    third = again(dbt, invocation_id="third")
    held: list[bool] = []
    row = third.engine.states[VIEW]
    third.engine.on["record"] = lambda _: held.append(row["lock_owner"] is not None)
    third.operation("mview_recover")
    assert held == [True] * 4, "history and info of the first, then of the other"
    assert row["lock_owner"] is None


@pytest.mark.parametrize("written", [1, 2])
def test_a_lost_run_is_charged_once_however_often_it_is_recovered(written: int) -> None:
    """Recoveries die as well: once history was told of it, or the row was as well."""
    dbt = built()
    lock(dbt, lease_until=micros(1), lock_time=micros(800))
    row, engine = dbt.engine.states[VIEW], dbt.engine
    job, left = row["refresh_job_id"], [0]

    def dies(_: str) -> None:
        if left[0] == 0:
            raise Killed
        left[0] -= 1
        engine.noted.setdefault(job, micros(engine.minute))

    for turn in range(4):
        engine.minute += 120
        dbt = again(dbt, invocation_id=f"dies{turn}")
        # The first one takes the lock, the others record some of what it took over.
        left[0] = 0 if turn == 0 else written
        engine.on["fence" if turn == 0 else "record"] = dies
        with pytest.raises(Killed):
            dbt.operation("mview_recover", view="totals")
    engine.minute += 120
    again(dbt, invocation_id="last").operation("mview_recover", view="totals")
    assert (row["lock_owner"], row["failures"]) == (None, 1)


def test_nothing_to_recover() -> None:
    assert built().operation("mview_recover", view="totals") == [
        f"{VIEW}: no lock is held, nothing to recover"
    ]


def test_lock_changes_hands() -> None:
    dbt = built()
    lock(dbt)
    dbt.engine.acquire = ["busy"]
    with pytest.raises(DbtError, match="its lock changed hands at this moment"):
        dbt.operation("mview_recover", view="totals")


def test_restore_the_row(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    dbt.run()
    dbt.engine.states.clear()
    dbt = again(dbt, invocation_id="third")
    assert dbt.operation("mview_recover", view="totals") == [
        f"{VIEW}: state restored from version 1"
    ]
    golden("operation_restore", transcript(dbt, "mview_recover: a lost row of state"))
    assert dbt.engine.states[VIEW]["lock_token"] == 2
    assert dbt.engine.states[VIEW]["sources"][0]["version"] == 3


def test_dry_run() -> None:
    dbt = built()
    lock(dbt)
    before = dict(dbt.engine.states[VIEW])
    printed = dbt.operation("mview_recover", view="totals", dry_run=True)
    steps = [line.split("step=")[1].split()[0] for line in printed]
    assert steps == ["acquire", "fence", "recover", "recover", "record", "record"]
    assert dbt.engine.states[VIEW] == before
    assert dbt.logged == [], "nothing was recorded and nothing undone"


def test_a_view_or_an_owner() -> None:
    dbt = built()
    with pytest.raises(DbtError, match=r"mview_recover: it takes a view or an owner\. Name one\."):
        dbt.operation("mview_recover", view="all", owner=OTHER)


def test_a_reason_for_one_view() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals", reason="killed by hand", charge=False)
    state = dbt.engine.states[VIEW]
    assert state["last_refresh_failed_reason"] == "the run did not finish: killed by hand"
    assert (state["failures"], state["lock_owner"]) == (None, None)


# What a recovery by hand leaves for the steps.


def test_the_definition_of_the_last_success_stays() -> None:
    dbt = built()
    definition = dbt.engine.states[VIEW]["definition"]
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    assert dbt.engine.states[VIEW]["definition"] == definition
    assert dbt.engine.states[VIEW]["spec"]["identifier"] == "totals"


def test_a_second_recovery_finds_nothing() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    dbt.engine.forget()
    dbt.operation("mview_recover", view="totals")
    assert dbt.engine.writes == []


# A lost row of state, from the view's own history.


def test_the_next_run_has_nothing_to_do() -> None:
    dbt = built()
    dbt.engine.states.clear()
    dbt.operation("mview_recover", view="totals")
    state = dbt.engine.states[VIEW]
    assert (state["lock_token"], state["sources"][0]["version"]) == (1, 2)
    assert again(dbt).operation("mview_recover", view="totals")[-1].endswith("nothing to recover")


def test_a_dry_run_does_not_say_that_it_was_done() -> None:
    dbt = built()
    dbt.engine.states.clear()
    (line,) = dbt.operation("mview_recover", view="totals", dry_run=True)
    assert "step=recover" in line and "state restored" not in line
    assert dbt.engine.states == {}


@pytest.mark.parametrize("meta", [None, '{"dbt_mview": {"mview_id": "another"}}'])
def test_a_table_that_is_not_ours(meta: str | None) -> None:
    dbt = built()
    dbt.engine.states.clear()
    dbt.engine.tables[VIEW].commits[-1].meta = meta
    with pytest.raises(DbtError, match="no table of it to restore one from"):
        dbt.operation("mview_recover", view="totals")


def test_no_table_at_all() -> None:
    with pytest.raises(DbtError, match="Build it with `dbt run --select totals`"):
        new().operation("mview_recover", view="totals")


# All that one dbt invocation holds.


SECOND_LOG = "spark_catalog.shop.more_log"


def recover(dbt: Dbt, owner: str = OTHER, **args: Any) -> list[str]:
    return dbt.operation("mview_recover", owner=owner, **args)


def steps(dbt: Dbt) -> list[str]:
    return [one.step for one in dbt.engine.writes]


def due(dbt: Dbt) -> dict[str, Any]:
    """A lock of the other, on a view that was due and had failed once."""
    lock(dbt)
    row = dbt.engine.states[VIEW]
    row.update(next_time=micros(1), retry_time=micros(2), failures=1, last_refresh_time=micros(3))
    return row


def test_charged(golden: Golden) -> None:
    dbt = built()
    row = due(dbt)
    recover(dbt, reason="it took longer than 59 minutes")
    golden("recover_owner", transcript(dbt, "mview_recover of an owner"))
    assert (row["lock_owner"], row["failures"]) == (None, 2) and row["retry_time"] > micros(2)
    why = "the run did not finish: it took longer than 59 minutes"
    assert (row["last_refresh_result"], row["last_refresh_failed_reason"]) == ("failed", why)
    assert f"'{why}'" in dbt.engine.sql("record"), "so says history"


def test_not_charged(golden: Golden) -> None:
    """Nothing moves that would make it a failure, or a success, of the view."""
    dbt = built()
    row = due(dbt)
    recover(dbt, reason="its node is gone", charge=False)
    assert (row["lock_owner"], row["failures"]) == (None, 1)
    assert (row["retry_time"], row["last_refresh_time"]) == (micros(2), micros(3))
    assert row["last_refresh_result"] == "failed" and "is gone" in row["last_refresh_failed_reason"]
    sql = dbt.engine.sql("record", 1)
    golden("merge_info_uncharged", sql[sql.rindex("merge into") : sql.rindex(";\n")])
    assert "'failed'" in dbt.engine.sql("record"), "history says so all the same"


def test_without_a_reason() -> None:
    dbt = built()
    row = due(dbt)
    recover(dbt)
    assert row["last_refresh_failed_reason"].startswith("the run did not finish; its lock")


def test_what_was_published_is_a_success() -> None:
    dbt = built()
    row = due(dbt)
    published = dbt.engine.tables[VIEW].commits[-1]
    row["refresh_job_id"] = dbt("_commit_meta", published.meta)["refresh_job_id"]
    recover(dbt, reason="its node is gone", charge=False)
    assert (row["last_refresh_result"], row["failures"], row["lock_owner"]) == (
        "success", None, None,
    )  # fmt: skip


def test_twice_is_once() -> None:
    dbt = built()
    row = due(dbt)
    recover(dbt)
    before = dict(row)
    dbt = again(dbt, invocation_id="third")
    assert recover(dbt) == [f"{OTHER}: holds no lock, nothing to recover"]
    assert dbt.engine.states[VIEW] == before and steps(dbt) == []


@pytest.mark.parametrize("dies_at", ["fence", "recover", "record"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_recovery_that_died_is_finished_by_the_next(dies_at: str, times: int) -> None:
    """Its lock leads to whom it recovers, and only that one has failed."""
    dbt = built()
    row = due(dbt)

    def killed(_: str) -> None:
        raise Killed

    for turn in range(times):
        dbt = again(dbt, invocation_id=f"recovery{turn}")
        dbt.engine.on[dies_at] = killed
        with pytest.raises(Killed):
            recover(dbt)
        assert row["lock_owner"] == f"recovery{turn}"
    dbt = again(dbt, invocation_id="last")
    recover(dbt)
    assert (row["lock_owner"], row["failures"]) == (None, 2)


def test_a_refresh_that_took_over_is_left_alone() -> None:
    """It has yet to record what the other left, but refreshes by itself."""
    dbt = built()
    holder = {"job_id": "j", "owner": OTHER, "intent": None, "lock_time": 1, "lease_until": 2}
    row = lock(dbt, lock_owner="next", intent={"definition": "select 1", "holder": holder})
    recover(dbt)
    assert row["lock_owner"] == "next" and steps(dbt) == []
    took_over = dict(holder, owner="next", intent=row["intent"])
    row.update(lock_owner="by hand", intent={"definition": None, "holder": took_over})
    recover(dbt)
    assert row["lock_owner"] == "by hand" and steps(dbt) == [], "nor what recovers that one"


def test_others_keep_their_locks() -> None:
    dbt = built()
    lock(dbt, lock_owner="somebody", lease_until=micros(1))
    recover(dbt)
    assert dbt.engine.states[VIEW]["lock_owner"] == "somebody" and steps(dbt) == []


def test_a_lock_that_changes_hands_is_passed_over() -> None:
    dbt = built()
    row = due(dbt)

    def taken(_: str) -> None:
        row.update(lock_owner="next", lock_token=6, refresh_job_id="its")

    dbt.engine.on["acquire"] = taken
    recover(dbt)
    assert row["lock_owner"] == "next" and steps(dbt) == ["acquire"]


def test_a_conflict_is_tried_again() -> None:
    dbt = built()
    row = due(dbt)
    dbt.engine.acquire = ["conflict"]
    recover(dbt)
    assert row["lock_owner"] is None and steps(dbt).count("acquire") == 2
    row = due(dbt)
    dbt.engine.acquire = ["conflict"] * 20
    with pytest.raises(DbtError, match=f"{VIEW}: its lock could not be taken in 20 tries"):
        recover(again(dbt))


def test_a_decided_member_comes_last() -> None:
    """To publish it runs its query, which may fail."""
    dbt = built()
    lock(dbt, intent={"definition": "select 1", "spec": {}, "redo": {"publish": "nothing"}})
    other = "spark_catalog.shop.zzz"
    values = dict(dbt.engine.states[VIEW], mview_id=other)
    early = {"intent": {"definition": "select 1", "spec": {}}, "spec": None}
    dbt.engine.state(**{**values, **early})
    recover(dbt)
    locked = [one.sql for one in dbt.engine.log if one.step == "acquire"]
    assert [other in sql for sql in locked] == [True, False]


def purging(**values: Any) -> tuple[Dbt, LogEngine, dict[str, Any]]:
    """A log that the other is purging; it was due."""
    dbt = started()
    engine = dbt.engine
    assert isinstance(engine, LogEngine)
    held = {"lock_owner": OTHER, "lock_token": 4, "lock_time": 1, "lease_until": micros(900)}
    row = engine.log_rows.setdefault(LOG, {})
    row.update({**held, "failures": 1, "retry_time": 5, **values})
    engine.logs[SECOND_LOG] = engine.logs[LOG]
    engine.log_rows[SECOND_LOG] = {**held, "lock_owner": "somebody"}
    engine.purges["p"] = {"mlog_id": LOG, "purge_status": "running"}
    engine.purges["q"] = {"mlog_id": SECOND_LOG, "purge_status": "running"}
    return dbt, engine, row


@pytest.mark.parametrize(("charge", "failures"), [(True, 2), (False, 1)])
def test_a_purge(charge: bool, failures: int) -> None:
    dbt, engine, row = purging()
    recover(dbt, reason="its node is gone", charge=charge)
    assert (row["lock_owner"], row["lock_token"], row["failures"]) == (None, 4, failures)
    ended = engine.purges["p"]
    assert (ended["purge_status"], ended["purge_failed_reason"]) == (
        "failed", "the purge did not finish: its node is gone"
    )  # fmt: skip
    assert engine.purges["q"]["purge_status"] == "running"
    assert engine.log_rows[SECOND_LOG]["lock_owner"] == "somebody"
    recover(again(dbt))
    assert row["failures"] == failures


def test_a_recovery_that_died_between_history_and_lock() -> None:
    """History says how the purge ended, and the lock still whose it was."""
    dbt, engine, row = purging()
    seen: list[str] = []

    def killed(sql: str) -> None:
        seen.append(sql)
        if len(seen) == 2:
            raise Killed

    engine.on["close_purge"] = killed
    with pytest.raises(Killed):
        recover(dbt)
    assert (row["lock_owner"], engine.purges["p"]["purge_status"]) == (OTHER, "failed")
    recover(again(dbt))
    assert (row["lock_owner"], row["failures"]) == (None, 2)


def test_the_statements_of_a_log(golden: Golden) -> None:
    dbt, engine, _ = purging()
    recover(dbt, reason="it's over", charge=False)
    sql = [one.sql for one in engine.log if one.step in ("read_logs_held", "close_purge")]
    bodies = [text.split("*/\n", 1)[1] for text in sql]
    texts = [bodies[0], *(body[body.rindex("update ") : body.rindex(";\n")] for body in bodies[1:])]
    assert all(parse(text) for text in texts)
    golden("recover_log", "\n;\n".join(texts))


def test_recover_owner_dry_run() -> None:
    dbt, engine, row = purging()
    printed = recover(dbt, dry_run=True)
    assert row["lock_owner"] == OTHER and engine.purges["p"]["purge_status"] == "running"
    assert [line.split("step=")[1].split()[0] for line in printed] == ["close_purge"] * 2
