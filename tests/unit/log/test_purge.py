"""What goes from a log, and what a purge leaves behind when it does not come to its end."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.log_scenes import (
    LOG,
    a_log,
    a_purge,
    base,
    beside,
    held,
    later,
    log_engine,
    log_model,
    logged,
    reads,
    run_log,
    started,
    truth,
)
from ..kit.scenes import SOURCE

# What goes from a log, and what a purge leaves behind when it does not come to its end.


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
    dead = {"mlog_id": LOG, "purge_status": "running", "purge_rows": 0}
    log_engine(dbt).purges["dead"] = dead
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


# A log that state knows, and what it holds.


def test_there() -> None:
    dbt = logged(1)
    found = dbt("_find_log", LOG)
    assert (found["mlog_id"], found["short"]) == (LOG, "shop.orders_log")
    assert (found["name"], found["kind"]) == ("`spark_catalog`.`shop`.`orders_log`", "delta")
    assert found["coverage"] == a_log(dbt)["coverage"]


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    found = dbt("_find_log", LOG)
    assert (found["kind"], found["coverage"]["base"]) == ("missing", None)


def test_taken() -> None:
    dbt = logged(1)
    dbt.engine.tables[LOG] = delta(1)
    found = dbt("_find_log", LOG)
    assert (found["kind"], found["coverage"]["base"]) == ("delta", None)


# What a view has read of a table.


BASE = "c.s.base"
NOTHING = {"version": 0, "commit_time": 0}


def source(version: int | None, relation: str = BASE) -> dict[str, Any]:
    return {"relation": relation, "version": version, "commit_time": version and 9}


@pytest.mark.parametrize(
    ("sources", "owner", "intent", "found"),
    [
        ([source(5)], None, None, {"version": 5, "commit_time": 9}),
        ([source(1, "c.s.other"), source(5)], None, None, {"version": 5, "commit_time": 9}),
        ([source(5)], "run", {"reads": [BASE]}, {"version": 5, "commit_time": 9}),
        ([source(None)], None, None, NOTHING),
        ([source(1, "c.s.other")], None, None, None),
        ([source(1, "c.s.other")], "run", {"reads": [BASE]}, NOTHING),
        (None, "run", {"reads": ["c.s.other", BASE]}, NOTHING),
        (None, "run", {"reads": ["c.s.other"]}, None),
        (None, "run", {"definition": "of an older release"}, NOTHING),
        ([source(1, "c.s.other")], "run", {"definition": "of an older release"}, None),
        (None, None, {"reads": [BASE]}, None),
        (None, "run", None, None),
        (None, None, None, None),
    ],
)
def test_read(sources: Any, owner: Any, intent: Any, found: Any) -> None:
    never = {"last_successful_refresh_read_time": None}
    state = {"sources": sources, "lock_owner": owner, "intent": intent, **never}
    assert Dbt()("_read_of", state, BASE) == found


@pytest.mark.parametrize(("owner", "found"), [(None, None), ("run", NOTHING)])
def test_a_view_that_was_built_without_a_version(owner: str | None, found: Any) -> None:
    """It reads the table through a view that is not bound, and is always refreshed in full."""
    state = {"sources": [source(None)], "lock_owner": owner, "intent": {"reads": [BASE]}}
    state["last_successful_refresh_read_time"] = 7
    assert Dbt()("_read_of", state, BASE) == found


# Up to which version a log may be purged.


def safe(dbt: Dbt) -> tuple[int, list[tuple[str, int]]]:
    found = dbt("_safe_version", a_log(dbt))
    views = [(one["mview_id"].split(".")[2], one["version"]) for one in found["dependents"]]
    return found["version"], views


def test_without_views_what_was_captured() -> None:
    dbt = logged(1)
    assert safe(dbt) == (5, [])
    captured = a_log(dbt)["coverage"]["captured"]
    assert dbt("_safe_version", a_log(dbt))["commit_time"] == captured["commit_time"]


def test_the_lowest_that_a_view_has_read() -> None:
    dbt = logged(1)
    for name, version in [("a", 4), ("b", 3), ("c", 5)]:
        reads(dbt, name, version)
    dbt.engine.state("spark_catalog.shop.other", sources=[{"relation": "a.b.c", "version": 1}])
    assert safe(dbt) == (3, [("b", 3), ("a", 4), ("c", 5)])


def test_never_further_than_captured() -> None:
    dbt = logged(1)
    reads(dbt, "ahead", 9)
    assert safe(dbt)[0] == 5


def test_a_view_that_was_never_built() -> None:
    dbt = logged(1)
    reads(dbt, "built", 5)
    reads(dbt, "unborn", None)
    assert safe(dbt)[0] == 0


def reader(meta: str | None) -> Dbt:
    """A view of this project without a row in state, whose table was last written with this."""
    dbt = logged(1, log_model(), Model())
    table = dbt.engine.tables["spark_catalog.shop.totals"] = delta(1)
    table.commit(2, "CREATE OR REPLACE TABLE AS SELECT", 1, meta)
    table.commit(3, "OPTIMIZE")
    base = {"unique_id": "source.shop.orders", "resource_type": "source", "database": None}
    base |= {"schema": "shop", "name": "orders", "identifier": "orders"}
    dbt.context["graph"]["sources"] = {"source.shop.orders": base}
    dbt.context["graph"]["nodes"]["model.shop.totals"]["depends_on"] = {
        "nodes": ["source.shop.orders"]
    }
    return dbt


def test_a_built_view_without_a_row() -> None:
    dbt = reader('{"dbt_mview": {"mview_id": "spark_catalog.shop.totals"}}')
    missing = f"refresh info row missing for spark_catalog.shop.totals, which reads {SOURCE}"
    with pytest.raises(DbtError, match=missing) as error:
        safe(dbt)
    assert f"{LOG} is not purged" in str(error.value)
    del dbt.engine.tables["spark_catalog.shop.totals"]
    assert safe(dbt) == (5, []), "a view that was never built needs nothing"


@pytest.mark.parametrize("meta", [None, '{"dbt_mview": {"mview_id": "spark_catalog.shop.old"}}'])
def test_a_table_that_is_to_become_a_view(meta: str | None) -> None:
    assert safe(reader(meta)) == (5, [])


# How far a log may be purged, and whether that was done.


def look(dbt: Dbt, **row: Any) -> dict[str, Any]:
    job = a_purge(row={"last_purged_version": None, **row}, pass_over=True)
    dbt("_inspect_purge", LOG, job)
    return job


@pytest.mark.parametrize("last", [None, 3])
def test_looked(last: Any) -> None:
    dbt = logged(1)
    reads(dbt, "behind", 4)
    job = look(dbt, last_purged_version=last)
    assert (job["safe"]["version"], job["needless"]) == (4, False)
    assert job["log"]["coverage"]["captured"]["version"] == 5


@pytest.mark.parametrize(("read", "needless"), [(4, False), (2, True)])
def test_what_was_purged_of_a_log_before_is_not_what_is_purged_of_this(
    read: int, needless: bool
) -> None:
    """The log begins at v2; of an older one, over a base of that name, v50 was purged."""
    dbt = logged(1)
    reads(dbt, "behind", read)
    assert look(dbt, last_purged_version=50)["needless"] is needless


def test_look_at_purge_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    job = look(dbt)
    assert job["log"] is None and job["needless"] and "is gone" in dbt.warned[0]


# The purge that a log's config plans.


HOURLY = {"purge": {"every": "1 hour"}}


def row(dbt: Dbt) -> dict[str, Any]:
    return log_engine(dbt).log_rows[LOG]


def planned(**config: Any) -> Dbt:
    """The next invocation of a log whose purge has a plan."""
    dbt = logged(2, log_model(**(config or HOURLY)))
    run_log(dbt)
    return later(dbt)


def purges(dbt: Dbt) -> list[str]:
    return [one["purge_method"] for one in log_engine(dbt).purges.values()]


def test_the_first_run_plans_and_purges_nothing() -> None:
    dbt = planned()
    assert row(dbt)["schedule"] == {"every": 3600} and row(dbt)["next_time"] > micros(0)
    assert purges(dbt) == []
    before = row(dbt)["next_time"]
    run_log(dbt)
    assert purges(dbt) == [] and row(dbt)["next_time"] == before


@pytest.mark.parametrize("read", [3, 0])
def test_when_its_time_has_come_a_run_purges_and_moves_it(read: int) -> None:
    """Also where views hold everything back."""
    dbt = planned()
    reads(dbt, "reader", read)
    last = row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    run_log(dbt)
    assert purges(dbt) == ["automatic"]
    assert row(dbt)["next_time"] == last + 3_600_000_000
    assert row(dbt).get("lock_owner") is None


def test_a_manual_purge_does_not_move_it() -> None:
    dbt = planned()
    last = row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    dbt.operation("mlog_purge", log="orders_log")
    assert purges(dbt) == ["manual"] and row(dbt)["next_time"] == last


def test_where_another_run_purges_this_one_does_not() -> None:
    dbt = planned()
    row(dbt).update(next_time=1, lock_owner="other", lock_token=3, lease_until=10**18)
    run_log(dbt)
    assert purges(dbt) == [] and "another run is purging it" in dbt.warned[-1]


def test_a_failure_is_counted_and_the_plan_stays() -> None:
    dbt = planned()
    last = row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    log_engine(dbt).broken = True
    assert dbt.run()[0].status == "error"
    assert (row(dbt)["failures"], row(dbt)["next_time"]) == (1, last)
    row(dbt)["retry_time"] = 10**18
    dbt = beside(dbt)
    run_log(dbt)
    assert row(dbt)["next_time"] == last, "not before its retry"


def test_a_plan_that_is_taken_out_of_the_model_ends() -> None:
    dbt = planned()
    dbt = later(dbt, log_model())
    run_log(dbt)
    assert (row(dbt)["schedule"], row(dbt)["next_time"]) == (None, None)
