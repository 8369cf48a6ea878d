"""Sources that are pinned before what the view has read of them."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_job
from ..kit.scenes import (
    MEMBER_IDS,
    OTHER,
    SOURCE,
    VIEW,
    again,
    built,
    change_source,
    group,
    refreshes,
)

# Sources that are pinned before what the view has read of them.


def overtaken(*, at: float = 740, **state: Any) -> Dbt:
    """Another run, that began after this one, has read a commit of this minute; now it is 720."""
    dbt = built()
    change_source(dbt, at)
    dbt.engine.states[VIEW]["sources"][0].update(version=3, commit_time=micros(at))
    dbt.engine.states[VIEW].update(state)
    return dbt


@pytest.mark.parametrize("at", [720.5, 734])
def test_a_view_that_another_run_took_further_is_skipped(at: float) -> None:
    """Clocks may differ."""
    dbt = overtaken(at=at)
    (result,) = dbt.run()
    assert result.message == "SKIP another run has read further meanwhile: shop.orders v3, not v2"
    assert refreshes(dbt, VIEW) == 1 and "record" not in dbt.engine.steps


def test_what_is_refreshed_all_the_same_reads_the_newest_and_says_so() -> None:
    """The view is as of now then, and not as of the begin of the run."""
    dbt = overtaken(at=720.5, last_refresh_result="failed")
    dbt("_clock")["client"] -= 90_000_000
    (result,) = dbt.run()
    assert result.message == "FAST v0, 0 rows: the last refresh failed (no changed rows)"
    state = dbt.engine.states[VIEW]
    assert state["sources"][0]["version"] == 3
    assert state["last_successful_refresh_read_time"] >= micros(721.5)


def test_the_look_may_be_older_than_the_other_run() -> None:
    """Whether an older table took the source's place is asked of the source as it is now."""
    dbt = built()
    dbt("_inspect_table", SOURCE)
    change_source(dbt, 719)
    now, was = (
        {"relation": SOURCE, "version": version, "commit_time": micros(minute)}
        for version, minute in ((2, 30), (3, 719))
    )
    state = {"sources": [was], "spec": {}}
    job = as_job({"state": state, "sources": [now], "target": {"kind": "delta"}})
    spec = {"mview_id": VIEW, "full_refresh": False, "refresh_group": None}
    dbt("_check_not_behind", spec, job)
    assert [one["was"]["version"] for one in job["sources_behind"]] == [3]


@pytest.mark.parametrize("consistency", ["run", "latest"])
def test_an_older_table_in_the_place_of_a_source_is_an_error(consistency: str) -> None:
    model = Model(config={"read_consistency": consistency})
    dbt = built(model)
    dbt.engine.tables[SOURCE] = delta(10, 20, columns="customer string, amount bigint", id="old")
    (result,) = dbt.run()
    assert result.status == "error"
    assert result.message == (
        f"dbt_mview: {VIEW}: it has read {SOURCE} at v2 of 2024-03-01 00:30:00Z, and the newest"
        " version of that table is v1 of 2024-03-01 00:20:00Z: it was replaced by an older table."
        " Rebuild the view from it with --full-refresh, or run into another target."
    )
    state = dbt.engine.states[VIEW]
    assert (state["last_refresh_result"], state["lock_owner"]) == ("failed", None)
    assert refreshes(dbt, VIEW) == 1 and "acquire" not in dbt.engine.steps


def test_what_was_told_in_another_zone_is_built_anew() -> None:
    """By a client in Tokyo, of a release that took its hours for those of the session."""
    dbt = built()
    dbt.engine.states[VIEW]["sources"][0]["commit_time"] += 9 * 3_600_000_000
    (result,) = dbt.run()
    assert result.message == "COMPLETE v1, 3 rows: SOURCE_REPLACED: shop.orders v2"
    assert again(dbt).run()[0].message.startswith("SKIP nothing changed")


def test_a_run_as_of_an_earlier_time_is_an_error() -> None:
    """What the view has read lies in this run's future."""
    dbt = overtaken(at=740)
    (result,) = dbt.run()
    assert result.message == (
        f"dbt_mview: {VIEW}: it has read {SOURCE} at v3 of 2024-03-01 12:20:00Z, and this run reads"
        " it as of 2024-03-01 12:00:00Z, at v2 of 2024-03-01 00:30:00Z. Build what is as of an"
        " earlier time into another target, or take the view back with --full-refresh."
    )
    assert refreshes(dbt, VIEW) == 1 and "acquire" not in dbt.engine.steps


@pytest.mark.parametrize("way", ["full refresh", "view is gone"])
@pytest.mark.parametrize("older", [True, False])
def test_what_is_built_anew_may_be_older(way: str, older: bool) -> None:
    dbt = built() if older else overtaken(at=740)
    if older:
        dbt.engine.tables[SOURCE] = delta(10, 20, columns="customer string, amount bigint")
    if way == "view is gone":
        del dbt.engine.tables[VIEW]
    dbt = again(dbt, full_refresh=way == "full refresh")
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE"), result.message
    state = dbt.engine.states[VIEW]
    assert state["sources"][0]["version"] == (1 if older else 2)
    assert state["last_successful_refresh_read_time"] == micros(720)
    assert again(dbt).run()[0].message.startswith("SKIP nothing changed")


def test_what_another_run_reads_before_the_lock_is_taken() -> None:
    """The row is read again where the lock changed hands."""
    dbt = built()
    change_source(dbt, 715)
    table = dbt.engine.tables[SOURCE]

    def overtake(sql: str) -> None:
        if table.commits[-1].version == 3:
            table.commit(720.5, "WRITE", 10, parameters={"mode": "Append"})
            state = dbt.engine.states[VIEW]
            state["sources"][0].update(version=4, commit_time=micros(720.5))
            state.update(lock_token=state["lock_token"] + 1)

    dbt.engine.on["acquire"] = overtake
    (result,) = dbt.run()
    assert result.message == "SKIP another run has read further meanwhile: shop.orders v4, not v3"
    assert refreshes(dbt, VIEW) == 1


def test_what_a_dead_run_had_read_is_known_after_its_recovery() -> None:
    """It began after this one, published and died."""
    dead = built()
    change_source(dead, 720.5)
    dead.engine.minute = 721
    dead.engine.on["record"] = lambda sql: 1 / 0
    with pytest.raises(ZeroDivisionError):
        dead.run()
    dbt = again(dead, invocation_id=OTHER)
    dbt.engine.minute = 720
    (result,) = dbt.run()
    assert result.message == "SKIP another run has read further meanwhile: shop.orders v3, not v2"
    assert (refreshes(dbt, VIEW), dbt.engine.states[VIEW]["lock_owner"]) == (2, None)


def test_a_source_that_is_replaced_after_the_look() -> None:
    """Where the newest versions are read, they are read under the lock: an older table may have
    come since."""
    model = Model(config={"read_consistency": "latest"})
    dbt = built(model)
    change_source(dbt, 715)

    def replace(sql: str) -> None:
        dbt.engine.tables[SOURCE] = delta(10, 20, columns="customer string, amount bigint")

    dbt.engine.on["acquire"] = replace
    (result,) = dbt.run()
    assert "it was replaced by an older table" in result.message
    assert (refreshes(dbt, VIEW), dbt.engine.states[VIEW]["lock_owner"]) == (1, None)


def test_a_member_that_was_refreshed_further_stops_its_group() -> None:
    """Another run read newer data than this run's snapshot: no mixture of the two."""
    dbt = group()
    table = dbt.engine.tables[SOURCE]
    table.commits[-1].minute = 715
    table.commit(720.5, "WRITE", 10, parameters={"mode": "Append"})
    state = dbt.engine.states[MEMBER_IDS[1]]
    state["sources"][0].update(version=4, commit_time=micros(720.5))
    _, second = dbt.run()
    assert "from newer data than there was when this run began" in second.message
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1, 1]


def test_explain_says_what_a_run_would() -> None:
    dbt = overtaken(at=740)
    with pytest.raises(DbtError, match="and this run reads it as of"):
        dbt.operation("mview_explain", view="totals")


# The sources that a view has read further than they are pinned.


TABLES = ("spark_catalog.shop.a", "spark_catalog.shop.b")
HOUR = 3_600_000_000


def source(name: str, at: int | None, off: int = 0) -> dict[str, Any]:
    """One version each minute. off: microseconds by which its time is told otherwise."""
    time = None if at is None else micros(at) + off
    return {"relation": f"spark_catalog.shop.{name}", "version": at, "commit_time": time}


@pytest.mark.parametrize(
    ("read", "now", "further"),
    [
        (None, [source("a", 1)], []),
        ([source("a", 1)], [source("a", 1)], []),
        ([source("a", 1)], [source("a", 2)], []),
        ([source("a", 3)], [source("a", 2)], ["a"]),
        ([source("a", None)], [source("a", 2)], []),
        ([source("a", 3)], [source("a", None)], []),
        ([source("a", 1, 1000)], [source("a", 1)], []),
        ([{**source("a", 2, 1000), "version": 1}], [source("a", 2)], []),
        ([source("a", 2, -59_000_000)], [source("a", 1)], ["a"]),
        ([{**source("a", 3), "version": 1}], [source("a", 2)], ["a"]),
        ([{**source("a", 2), "version": 9}], [source("a", 3)], []),
        ([source("gone", 9)], [source("a", 2)], []),
        ([source("b", 1), source("a", 3)], [source("a", 2), source("b", 3)], ["a"]),
        # Of another zone; what is no zone; a version that is not there.
        ([source("a", 1, 9 * HOUR)], [source("a", 2)], []),
        ([source("a", 2, 14 * HOUR + 9_000)], [source("a", 2)], []),
        ([source("a", 1, 5 * HOUR - HOUR // 4)], [source("a", 2)], []),
        ([source("a", 1, 9 * HOUR + 60_000_000)], [source("a", 2)], ["a"]),
        ([source("a", 1, 27 * HOUR)], [source("a", 2)], ["a"]),
        ([source("a", 3, 9 * HOUR)], [source("a", 2)], ["a"]),
    ],
)
def test_read_further(read: Any, now: Any, further: list[str]) -> None:
    state = None if read is None else {"sources": read}
    dbt = Dbt()
    dbt.engine.tables.update({name: delta(0, 1, 2, 3) for name in TABLES})
    found = dbt("_sources_behind", as_job({"state": state, "sources": now}))
    assert [one["relation"].rpartition(".")[2] for one in found] == further
