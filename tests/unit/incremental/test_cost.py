"""When building anew is expected to be cheaper."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import delta
from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_delta_plan
from ..kit.scenes import FOLLOWER, again, changed

# When building anew is expected to be cheaper.


NAME = "spark_catalog.shop.orders"


Time = tuple[str, int, float]


def row(method: str, seconds: float, changed: int = 10) -> Time:
    """A refresh of the view: its method, how many rows had changed, how long it took."""
    return (method, changed if method == "fast" else 0, float(seconds))


AFFECTED_KEYS = as_delta_plan({"strategy": "affected keys"})


def cost(
    *rows: Time,
    changed: int | None = 10,
    size: int = 1000,
    delta_plan: Any = AFFECTED_KEYS,
    **known: float,
) -> Any:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].size = size
    took = {"last": list(rows), "complete": None, "first": None, **known}
    job = {"spec": {"stored": {"took": took}}, "target": {"history": []}, "sources": []}
    change = {"relation": NAME, "end": 4, "rows": changed, "deletes": False}
    found = dbt("_complete_is_cheaper", job, {**delta_plan, "changes": [change]})
    if changed is not None:
        assert dbt.engine.sql("read_count").endswith("`orders` version as of 4")
    return found


@pytest.mark.parametrize(
    ("changed", "size", "reason"),
    [
        (0, 0, None),
        (100, 1000, None),
        (101, 1000, "TOO_MANY_CHANGES: 101 of the 1000 rows of shop.orders"),
        (1, 0, "TOO_MANY_CHANGES: 1 of the 0 rows of shop.orders"),
        (None, 1000, "TOO_MANY_CHANGES: shop.orders was overwritten"),
    ],
)
def test_size_of_the_changes(changed: int | None, size: int, reason: Any) -> None:
    assert cost(changed=changed, size=size) == reason


@pytest.mark.parametrize("changed", [500, 501])
def test_half_of_a_table_whose_new_rows_alone_are_read(changed: int) -> None:
    """What the last refreshes took counts there, too."""
    reason = f"TOO_MANY_CHANGES: {changed} of the 1000 rows of shop.orders"
    appended = as_delta_plan({"strategy": "row delta"})
    assert cost(changed=changed, delta_plan=appended) == (reason if changed > 500 else None)
    known = [row("fast", 9, changed=400), row("complete", 4)]
    assert cost(*known, changed=500, delta_plan=appended) == SLOWER


SLOWER = "FAST_IS_SLOWER: 9.0 s, COMPLETE 4.0 s at the last refreshes"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], None),
        ([row("fast", 9)], None),
        ([row("complete", 4)], None),
        ([row("fast", 9), row("complete", 4)], SLOWER),
        ([row("fast", 3), row("complete", 4)], None),
        ([row("fast", 4), row("complete", 4)], None),
        ([row("fast", 9), row("fast", 1), row("fast", 2), row("complete", 4)], None),
        ([row("fast", 9), row("fast", 10), row("fast", 2), row("complete", 4)], SLOWER),
        (
            [row("fast", 1), row("fast", 1), row("fast", 1), row("fast", 9), row("complete", 4)],
            None,
        ),
    ],
)
def test_learned(rows: list[Time], reason: Any) -> None:
    """The median of the last three of each method."""
    assert cost(*rows) == reason


def first(seconds: float) -> Time:
    """A first build."""
    return ("first", 0, float(seconds))


ONCE = "FAST_IS_SLOWER: 9.0 s, more than 1/2 of the first build; COMPLETE is tried once"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([first(1)], None),
        ([row("fast", 9), first(20)], None),
        ([row("fast", 9), first(17)], ONCE),
        ([row("fast", 9)] * 2 + [first(19)], None),
        ([row("fast", 9)] * 2 + [first(17)], ONCE),
        ([row("fast", 9)] * 3 + [first(28)], None),
        ([row("fast", 9)] * 3 + [first(26)], ONCE.replace("1/2", "1/3")),
        ([row("fast", 9)] * 16 + [first(145)], None),
        ([row("fast", 9)] * 16 + [first(143)], ONCE.replace("1/2", "1/16")),
        ([row("fast", 9), row("complete", 4), first(2)], SLOWER),
        ([row("fast", 9), row("complete", 10), first(2)], None),
    ],
)
def test_a_part_of_a_first_build_counts_until_there_is_another(
    rows: list[Time], reason: Any
) -> None:
    assert cost(*rows) == reason


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"complete": 4.0}, SLOWER),
        ({"complete": 10.0}, None),
        ({"first": 179.0}, ONCE.replace("1/2", "1/20")),
        ({"first": 181.0}, None),
    ],
)
def test_complete_is_not_forgotten(known: dict[str, float], reason: Any) -> None:
    """Not after as many FAST refreshes as are kept."""
    assert cost(*[row("fast", 9)] * 20, **known) == reason


@pytest.mark.parametrize("spec", [{"stored": None}, {"stored": {"took": None}}, {"stored": {}}])
def test_a_view_of_which_nothing_is_known(spec: dict[str, Any]) -> None:
    dbt = Dbt()
    job = {"spec": spec, "sources": []}
    assert dbt("_complete_is_cheaper", job, {**AFFECTED_KEYS, "changes": []}) is None


# Sources that are read in less than FAST takes at least.


OVER = "spark_catalog.shop.dims"


def small(
    *rows: Time, size: int | None = 1_000_000, most: Any = 5_000_000, **known: float
) -> str | None:
    """Why a view is built anew that reads two tables of so many bytes."""
    dbt = Dbt(variables={} if most is None else {"dbt_mview:small_source_bytes": most})
    for name in (NAME, OVER):
        made = commit("WRITE", version=0, **({} if size is None else {"numOutputBytes": size}))
        dbt("_memory")["tables"][name] = {"commits": [made]}
    took = {"last": list(rows), "complete": None, "first": None, **known}
    spec = {"mview_id": "spark_catalog.shop.totals", "stored": {"took": took}}
    reason = dbt(
        "_small_source", {"spec": spec, "sources": [{"relation": NAME}, {"relation": OVER}]}
    )
    assert dbt.engine.steps == []
    return None if reason is None else str(reason)


TINY = "SMALL_SOURCE: at most 2.0 MB to read"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], TINY),
        ([first(60)], TINY),
        ([first(61)], None),
        ([row("complete", 10), first(61)], TINY),
        ([row("complete", 11)], None),
        ([row("difference", 11)], None),
        ([row("complete", 1), row("fast", 9)], None),
        ([row("complete", 1), ("compared", 3, 9.0)], None),
    ],
)
def test_small_sources_until_fast_was_tried(rows: list[Time], reason: str | None) -> None:
    assert small(*rows) == reason


@pytest.mark.parametrize(
    ("size", "most", "reason"),
    [
        (2_500_000, 5_000_000, "SMALL_SOURCE: at most 5.0 MB to read"),
        (2_500_001, 5_000_000, None),
        (1, 0, None),
        (0, "0", None),
        (None, 5_000_000, None),
        (1, None, "SMALL_SOURCE: at most 0.0 MB to read"),
    ],
)
def test_what_is_small(size: int | None, most: Any, reason: str | None) -> None:
    """All that is read, as far as it is known; 0 switches it off."""
    assert small(size=size, most=most) == reason


@pytest.mark.parametrize("most", ["16 MB", -1, 1.5, ""])
def test_what_is_no_size(most: Any) -> None:
    with pytest.raises(DbtError, match=r"small_source_bytes: '.*' is no whole number of bytes"):
        small(most=most)


def auto(*others: Model) -> Dbt:
    """A view whose source is small, and tells so."""
    dbt = again(changed(), Model(), *others)
    for made in dbt.engine.tables["spark_catalog.shop.orders"].commits:
        made.metrics["numOutputBytes"] = "1000"
    return dbt


def test_auto_builds_it_anew() -> None:
    """Before any row is counted; what fast insists on is not asked."""
    dbt = auto()
    (result,) = dbt.run()
    assert result.message.endswith("; not FAST: SMALL_SOURCE: at most 0.0 MB to read")
    assert result.message.startswith("COMPLETE v1") and "read_count" not in dbt.engine.steps


def test_a_view_that_is_followed_is_not() -> None:
    """Its COMPLETE would publish the difference."""
    dbt = auto(FOLLOWER)
    dbt.use(dbt.models[0])
    assert dbt.run()[0].message.startswith("FAST v1")


def test_three_joined_tables_changed() -> None:
    """None of the tables is even counted."""
    dbt = Dbt()
    delta_plan = as_delta_plan({"zero_delta": {"a": [], "b": [], "c": []}})
    reason = dbt("_complete_is_cheaper", {}, delta_plan)
    assert reason == "TOO_MANY_CHANGES: in 3 joined tables" and dbt.engine.steps == []


def test_what_many_changes_took_says_nothing_of_few() -> None:
    slow = row("fast", 9, changed=13)
    assert cost(slow, row("complete", 4)) is None
    assert cost(slow, row("complete", 4), changed=13) == SLOWER
    assert cost(slow, row("complete", 4), changed=11) == SLOWER, "about as many"
    assert cost(slow, row("fast", 9, changed=1), row("complete", 4)) == SLOWER


def test_what_few_changes_took_says_nothing_of_many() -> None:
    """Once as many were followed. A quarter of them is as many."""
    few = [row("fast", 1, changed=2)] * 3
    assert cost(*few, row("complete", 4)) is None
    assert cost(*few, row("fast", 9, changed=3), row("complete", 4)) == SLOWER
    assert cost(*few, row("fast", 9, changed=3), row("complete", 4), changed=13) is None


# How many changed places are joined with each other.


@pytest.mark.parametrize(
    ("zero_delta", "count"),
    [
        ({}, 1),
        ({"a": []}, 1),
        ({"a": [], "b": []}, 2),
        ({"a": ["b"], "b": ["a"]}, 1),
        ({"a": [], "b": [], "c": []}, 3),
        ({"a": ["b", "c"], "b": ["a", "c"], "c": ["a", "b"]}, 1),
        ({"a": ["c"], "b": ["c"], "c": ["a", "b"]}, 2),
    ],
)
def test_count(zero_delta: Any, count: int) -> None:
    assert Dbt()("_joined_changes", as_delta_plan({"zero_delta": zero_delta})) == count


# How many rows a source has.


def test_rows_are_counted_once_for_all_views() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].size = 7
    assert [dbt("_rows_at", NAME, 3), dbt("_rows_at", NAME, 3)] == [7, 7]
    assert dbt.engine.steps.count("read_count") == 1
    dbt("_rows_at", NAME, 4)
    assert dbt.engine.steps.count("read_count") == 2


def test_rows_are_counted_only_where_the_last_commit_does_not_say_that_they_are_many() -> None:
    assert rows(recorded(4, 1000), changed=90) == (910, 0)
    assert rows(recorded(4, 1000), changed=91) == (7, 1), "1000 less 91 are not ten times as many"
    assert rows(recorded(4, 1000), changed=333, part=2) == (667, 0)
    assert rows(recorded(4, 1000), changed=334, part=2) == (7, 1), "nor 1000 less 334 twice as many"
    assert rows(recorded(4, None), changed=1) == (7, 1)
    assert rows(recorded(5, 1000), changed=1) == (7, 1), "of another version"
    assert rows(dict(recorded(4, 1000), relation="c.s.other"), changed=1) == (7, 1)


def test_rows_that_nobody_recorded() -> None:
    assert rows(changed=1) == (7, 1)
    assert rows(history=[{"meta": {"method": "complete"}}], changed=1) == (7, 1)


def recorded(version: int, rows: int | None) -> dict[str, Any]:
    return {"relation": NAME, "version": version} | ({} if rows is None else {"rows": rows})


def rows(*sources: Any, changed: int, part: int = 10, history: Any = None) -> tuple[int, int]:
    """What is told and noted of a source with seven rows, and how often it was counted."""
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].size = 7
    older = {"meta": {"sources": [recorded(4, 9)]}}
    newest = history or [{"meta": None}, *([{"meta": {"sources": [*sources]}}] if sources else [])]
    commits = [*newest, older] if sources else newest
    job = {"sources": [recorded(6, None)], "target": {"history": commits}}
    change = {"relation": NAME, "start": 4, "end": 6, "rows": changed}
    found = dbt("_rows_of", job, change, part)
    assert job["sources"] == [recorded(6, found)]
    return found, dbt.engine.steps.count("read_count")


# How much a view holds at most, by its own commits.


def commit(
    operation: str, method: str | None = None, version: int = 9, **metrics: int
) -> dict[str, Any]:
    meta = {"method": method} if method else None
    found = {"operation": operation, "metrics": metrics, "meta": meta}
    return {**found, "version": version, "parameters": {}}


ALL = commit("WRITE", "complete", numOutputBytes=100)
MERGED = commit("MERGE", "fast", numTargetBytesAdded=7, numTargetBytesRemoved=5)
APPENDED = commit("WRITE", "fast", numOutputBytes=3)
HARMLESS = commit("OPTIMIZE", numAddedBytes=1000)


def at_most(*newest_first: dict[str, Any]) -> Any:
    return Dbt()("_bytes_at_most", list(newest_first))


def test_what_came_since_all_was_replaced() -> None:
    assert at_most(ALL) == 100
    assert at_most(MERGED, HARMLESS, APPENDED, ALL, commit("MERGE")) == 110


def overwrite(**parameters: str) -> dict[str, Any]:
    """As dbt's `insert overwrite` and Spark's writers have it."""
    given = {"mode": "Overwrite", **parameters}
    return {**commit("WRITE", numOutputBytes=40), "parameters": given}


@pytest.mark.parametrize(
    ("commits", "size"),
    [
        ([MERGED, commit("WRITE", version=0, numOutputBytes=9)], 16),
        ([MERGED, commit("CREATE TABLE", version=0)], 7),
        ([commit("DELETE", numAddedBytes=2), MERGED, overwrite(), APPENDED], 49),
        ([overwrite(predicate="[]"), APPENDED], None),
        ([overwrite(isDynamicPartitionOverwrite="true"), APPENDED], None),
        ([MERGED, commit("CREATE OR REPLACE TABLE AS SELECT", numOutputBytes=9), APPENDED], 16),
        ([MERGED, commit("CLONE", version=0)], None),
        ([MERGED, commit("MERGE", "complete", numTargetBytesAdded=5)], None),
    ],
)
def test_what_came_since_the_table_was_made(commits: list[Any], size: int | None) -> None:
    """A table of somebody else too; the difference of COMPLETE replaces nothing."""
    assert at_most(*commits) == size


def test_what_does_not_tell() -> None:
    assert at_most() is None
    assert at_most(MERGED, APPENDED) is None, "all may have been replaced long ago"
    assert at_most(MERGED, commit("RESTORE"), ALL) is None


def test_another_time_is_measured_apart() -> None:
    """How many rows the clock lets in has nothing to do with those that changed."""
    last = [["fast", 1000, 2.0]] * 3 + [["dated", 7, 300.0]]
    took = {"last": last * 5, "complete": 60.0, "first": 80.0}
    assert Dbt()("_expected_cost", took, 1000)["fast"] == 2.0
    assert Dbt()("_expected_cost", took, 1000, "dated")["fast"] == 300.0
    assert Dbt()("_way_of", [], [{"ordinal": 0}]) == "dated"
