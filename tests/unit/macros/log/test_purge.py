"""What goes from a log, and what a purge leaves behind when it does not come to its end."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import (
    LOG,
    base,
    beside,
    held,
    later,
    log_engine,
    logged,
    reads,
    run_log,
    started,
    truth,
)

OTHER = {"lock_owner": "other", "lock_token": 3, "lease_until": micros(10**5)}


def purge(dbt: Dbt, **given: Any) -> list[str]:
    printed: list[str] = dbt.operation("mlog_purge", **given)
    return printed


def rows(dbt: Dbt) -> list[tuple[str, int]]:
    return [(row["purge_status"], row["purge_rows"]) for row in log_engine(dbt).purges.values()]


def test_without_views_all_that_was_captured_goes() -> None:
    dbt = logged()
    purge(dbt)
    assert held(dbt) == [] and rows(dbt) == [("success", 12)]
    assert [one.step for one in dbt.engine.writes] == [
        "acquire_log", "open_purge", "note_purge", "purge_batch", "close_purge", "close_purge"
    ]  # fmt: skip
    row = log_engine(dbt).log_rows[LOG]
    assert (row["last_purged_version"], row["lock_owner"], row["lock_token"]) == (8, None, 1)


def test_two_purges_of_one_run_are_two() -> None:
    """By its plan, and by a hook at its end: history has both, each with its own rows."""
    dbt = logged()
    reads(dbt, "behind", 4)
    purge(dbt)
    first = rows(dbt)
    reads(dbt, "behind", 8)
    purge(dbt)
    assert len(rows(dbt)) == 2 and rows(dbt)[0] == first[0]
    assert sum(count for _, count in rows(dbt)) == 12


def test_what_a_view_still_needs_stays() -> None:
    dbt = logged()
    reads(dbt, "behind", 4)
    reads(dbt, "ahead", 8)
    purge(dbt)
    assert held(dbt) == truth(dbt, 4, 8)
    assert dbt("_coverage", "`shop`.`orders_log`")["start"]["version"] == 4


def test_the_start_is_raised_before_rows_go() -> None:
    dbt = logged()
    reads(dbt, "behind", 4)

    def look(_: str) -> None:
        assert dbt("_coverage", "`shop`.`orders_log`")["start"]["version"] == 4

    dbt.engine.on["purge_batch"] = look
    purge(dbt)


def test_each_statement_is_sent_twice() -> None:
    """dbt-spark sends a statement again whose connection broke after it had its effect."""
    dbt = logged()
    reads(dbt, "behind", 4)
    execute = dbt.engine.execute

    def twice(step: str, sql: str) -> Any:
        answer = execute(step, sql)
        return answer if step.startswith("read_") else execute(step, sql)

    dbt.engine.execute = twice  # type: ignore[method-assign]
    purge(dbt, batch_size=1)
    assert held(dbt) == truth(dbt, 4, 8) and [status for status, _ in rows(dbt)] == ["success"]
    assert log_engine(dbt).log_rows[LOG]["lock_owner"] is None


def test_nothing_to_purge_takes_no_lock() -> None:
    dbt = logged()
    purge(dbt)
    dbt = later(dbt)
    purge(dbt)
    assert [one.step for one in dbt.engine.writes] == ["close_purge"]
    assert rows(dbt) == [("success", 12), ("success", 0)]


@pytest.mark.parametrize(("size", "counted"), [(1, 7), (2, 4), (4, 2), (6, 2), (7, 0)])
def test_batches(size: int, counted: int) -> None:
    """Whole versions; the lock is taken again for each; one that came short is the last. Where
    one takes all, nothing is counted before."""
    dbt = logged()
    purge(dbt, batch_size=size)
    steps = dbt.engine.steps
    assert steps.count("purge_batch") == (6 if size == 1 else -(-6 // size))
    assert steps.count("keep_lock") == steps.count("purge_batch") - 1
    assert steps.count("read_next_batch") == counted
    assert held(dbt) == [] and rows(dbt) == [("success", 12)]


def test_a_version_of_many_files_is_one_batch() -> None:
    dbt = logged(1)
    log_engine(dbt).per_file = 1
    purge(dbt, batch_size=3)
    assert "batch 1, 4 rows in 4 files, up to v3 of v5" in dbt.logged[0]
    assert held(dbt) == [] and rows(dbt) == [("success", 6)]


def test_the_lock_is_held() -> None:
    dbt = logged()
    log_engine(dbt).log_rows[LOG] = {
        "lock_owner": "other",
        "lock_token": 3,
        "lease_until": micros(10**5),
    }
    with pytest.raises(DbtError, match=r"another run \(other, since .* is purging .*orders_log"):
        purge(dbt, log="orders_log")
    assert dbt.engine.writes == [] and rows(dbt) == []


def test_the_lock_is_lost_at_the_last_moment() -> None:
    dbt = logged()

    def stolen(_: str) -> None:
        log_engine(dbt).log_rows[LOG] = {
            "lock_owner": "other",
            "lock_token": 1,
            "lease_until": micros(10**5),
        }

    dbt.engine.on["acquire_log"] = stolen
    with pytest.raises(DbtError, match="another run"):
        purge(dbt, log="orders_log")
    assert len(held(dbt)) == 12 and rows(dbt) == []


def test_the_lock_is_lost_between_batches() -> None:
    dbt = logged()

    def stolen(_: str) -> None:
        log_engine(dbt).log_rows[LOG].update(lock_owner="other", lock_token=2)

    dbt.engine.on["keep_lock"] = stolen
    printed = purge(dbt, batch_size=2)
    assert "stopped: lock lost" in printed[1]
    assert dbt.warned == [
        f"dbt_mview: {LOG}: purge stopped before deleting all eligible rows due to lock conflict;"
        " retry later"
    ]
    assert rows(dbt) == [("success", 5)] and len(held(dbt)) == 7
    row = log_engine(dbt).log_rows[LOG]
    assert row["lock_owner"] == "other" and row.get("last_purged_version") is None


def test_a_dead_purge_is_ended_by_the_next() -> None:
    dbt = logged()
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "dead", "lock_token": 3, "lease_until": 1}
    log_engine(dbt).purges["dead"] = {"purge_status": "running", "purge_rows": 0}
    purge(dbt)
    assert rows(dbt) == [("failed", 0), ("success", 12)]
    assert log_engine(dbt).log_rows[LOG]["lock_token"] == 4


def test_a_batch_that_fails() -> None:
    """History first, then the engine's own error."""
    dbt = logged()
    log_engine(dbt).broken = True
    with pytest.raises(RuntimeError, match="APPEND_ONLY"):
        purge(dbt)
    assert rows(dbt) == [("failed", 0)] and len(held(dbt)) == 12
    row = log_engine(dbt).log_rows[LOG]
    assert row["lock_owner"] is None and row.get("last_purged_version") is None


def test_a_failure_that_passes_at_the_second_try_is_told() -> None:
    dbt = logged()
    log_engine(dbt).broken = True

    def mended(_: str) -> None:
        log_engine(dbt).broken = False

    dbt.engine.on["close_purge"] = mended
    with pytest.raises(DbtError, match="batch 1 failed, and went through"):
        purge(dbt)


def test_somebody_else_was_quicker() -> None:
    """Rows are counted by the commits of this purge alone."""
    dbt = logged()

    def quicker(_: str) -> None:
        log_engine(dbt)._delete(LOG, 8, "another")
        dbt.engine.on.clear()

    dbt.engine.on["purge_batch"] = quicker
    purge(dbt)
    assert rows(dbt) == [("success", 0)] and held(dbt) == []


def test_dry_run() -> None:
    """How far, what holds it back, and the same statements, none of which runs."""
    dbt = logged()
    reads(dbt, "behind", 4)
    printed = purge(dbt, dry_run=True, batch_size=1)
    assert len(held(dbt)) == 12 and rows(dbt) == [] and dbt.engine.writes == []
    text = "\n".join(printed)
    for step in ("acquire_log", "open_purge", "note_purge", "purge_batch", "close_purge"):
        assert f"step={step} " in text
    assert "orders_log  v8        v4            5     2        dry run" in text, text
    assert "shop.behind  v4        yes" in text, text
    real = logged()
    reads(real, "behind", 4)
    purge(real, batch_size=1)
    ran = [one.sql for one in real.engine.writes]
    assert all(sql.split("*/")[1].strip() in text for sql in ran)


def test_a_log_that_begins_anew_meanwhile_keeps_its_start() -> None:
    dbt = logged()
    reads(dbt, "behind", 4)

    def anew(_: str) -> None:
        dbt.engine.on.clear()
        other = later(dbt, full_refresh=True)
        run_log(other)

    dbt.engine.on["note_purge"] = anew
    purge(dbt)
    assert dbt("_coverage", "`shop`.`orders_log`")["start"]["version"] == 8


def test_two_purges_of_which_the_slower_one_knows_less() -> None:
    """It looked when v4 was safe, and comes to its lock when the other has gone to v8."""
    dbt = logged()
    reads(dbt, "behind", 4)

    def quicker(_: str) -> None:
        dbt.engine.on.clear()
        reads(dbt, "behind", 8)
        beside(dbt).operation("mlog_purge")
        reads(dbt, "behind", 5)

    dbt.engine.on["acquire_log"] = quicker
    purge(dbt)
    assert dbt("_coverage", "`shop`.`orders_log`")["start"]["version"] == 8
    assert log_engine(dbt).log_rows[LOG]["last_purged_version"] == 8
    assert log_engine(dbt).log_rows[LOG]["lock_owner"] is None and held(dbt) == []


def test_a_log_that_began_anew_over_another_base() -> None:
    """Of the one before, more versions were purged than this one has."""
    dbt = logged()
    log_engine(dbt).log_rows[LOG]["last_purged_version"] = 50
    purge(dbt)
    assert held(dbt) == [] and rows(dbt) == [("success", 12)]
    assert log_engine(dbt).log_rows[LOG]["last_purged_version"] == 8


def test_when_the_clock_has_gone_back_the_start_is_raised_all_the_same() -> None:
    """Else the log would claim what it has no more."""
    dbt = started()
    base(dbt).commit(25, "UPDATE", numUpdatedRows=2)
    run_log(dbt)
    dbt = later(dbt)
    purge(dbt)
    assert held(dbt) == []
    assert dbt("_coverage", "`shop`.`orders_log`")["start"] == {
        "version": 3, "commit_time": micros(30)
    }  # fmt: skip


def test_logs_that_are_gone_do_not_stop_the_others() -> None:
    dbt = logged()
    log_engine(dbt).logs["spark_catalog.shop.a_log"] = "spark_catalog.shop.orders"
    printed = purge(dbt)
    assert held(dbt) == [] and rows(dbt) == [("success", 12)]
    assert "a_log: the materialized view log is gone, it is not purged." in dbt.warned[0]
    assert not any("a_log" in line for line in printed)
    with pytest.raises(DbtError, match=r"a_log: the materialized view log is gone\."):
        purge(later(dbt), log="a_log")
