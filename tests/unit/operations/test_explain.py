"""mview_explain, and what would make a refresh FAST."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_delta_plan, as_job, as_reason
from ..kit.scenes import SOURCE, VIEW, built, change_source, lock, new, with_feed
from ..kit.templates import macro_files

# mview_explain.


def explain(dbt: Dbt, **args: Any) -> list[str]:
    """Its lines; it changes nothing."""
    before = copy.deepcopy((dbt.engine.states, dbt.engine.tables))
    lines = dbt.operation("mview_explain", view="totals", **args)
    assert dbt.engine.writes == []
    assert (dbt.engine.states, dbt.engine.tables) == before
    return lines


@pytest.mark.parametrize("config", [{}, {"refresh": "fast"}])
def test_fast(config: Any) -> None:
    dbt = with_feed(built(Model(config=config)))
    change_source(dbt)
    found = explain(dbt)
    assert found[:2] == [
        f"{VIEW}: FAST shop.orders v2 -> v3 (aggregate delta, 10 changed rows)",
        "  strategy aggregate delta, keys: customer",
    ]
    assert found[-1].split() == ["shop.orders", "v2", "v3", "1", "10"]


def test_expected_cost() -> None:
    dbt = with_feed(built())
    change_source(dbt)
    # What built() makes is a first build, and took no time.
    half = "  expected, from the last refreshes: FAST unknown yet, COMPLETE 0.0 s, 1/2 of the first"
    assert f"{half} build" in explain(dbt)
    spec = dbt.engine.states[VIEW]["spec"]
    spec["took"] = None
    unknown = "  expected, from the last refreshes: FAST unknown yet, COMPLETE unknown yet"
    assert unknown in explain(dbt)
    spec["took"] = {"last": [["fast", 10, 3.0], ["complete", 0, 12.0]], "complete": 12.0}
    again = Dbt(dbt.engine, *dbt.models)
    assert "  expected, from the last refreshes: FAST 3.0 s, COMPLETE 12.0 s" in explain(again)
    # No FAST refresh followed about as many changes; what is known of it is said.
    spec["took"] = {"last": [["fast", 700, 3.0], ["complete", 0, 12.0]], "complete": 12.0}
    told = "  expected, from the last refreshes: FAST 3.0 s for 700 changed rows, COMPLETE 12.0 s"
    assert told in explain(Dbt(dbt.engine, *dbt.models))


@pytest.mark.parametrize(
    ("way", "told"), [("compared", ", compared versions"), ("dated", ", another time")]
)
def test_what_another_way_of_fast_took(way: str, told: str) -> None:
    """It says nothing of this one, but it is all that is known."""
    dbt = with_feed(built())
    change_source(dbt)
    spec = dbt.engine.states[VIEW]["spec"]
    spec["took"] = {"last": [[way, 7, 3.0], ["fast", 700, 9.0], ["complete", 0, 12.0]]}
    line = f"expected, from the last refreshes: FAST 3.0 s for 7 changed rows{told}, COMPLETE"
    assert any(line in one for one in explain(dbt))


def test_what_is_slower_and_by_how_much() -> None:
    """The same numbers that the reason is made of, also where there are too many changes."""
    dbt = with_feed(built())
    change_source(dbt)
    spec = dbt.engine.states[VIEW]["spec"]
    spec["took"] = {"last": [["fast", 10, 6.0], ["complete", 0, 2.0]], "complete": 2.0}
    found = explain(dbt)
    assert "; not FAST: FAST_IS_SLOWER: 6.0 s, COMPLETE 2.0 s at the last refreshes" in found[0]
    assert "  expected, from the last refreshes: FAST 6.0 s, COMPLETE 2.0 s" in found
    assert found[-1].split() == ["shop.orders", "v2", "v3", "1", "10"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [(None, "shop.orders was overwritten"), (999, "999 of the 1000 rows of shop.orders")],
)
def test_too_many_changes(rows: int | None, told: str) -> None:
    dbt = with_feed(built())
    change_source(dbt)
    dbt.engine.tables[SOURCE].commits[-1].rows = rows  # type: ignore[union-attr]
    # Comparing was in vain the last time.
    dbt.engine.states[VIEW]["spec"]["took"] = {"last": [["complete", 900, 2.0]]}
    found = explain(dbt)
    assert found[0].endswith(f"; not FAST: TOO_MANY_CHANGES: {told}")
    assert found[-1].split() == ["shop.orders", "v2", "v3", "1", str(rows or "all")]


def test_values_that_are_computed_again() -> None:
    dbt = with_feed(built())
    change_source(dbt)
    dbt.engine.plan = dbt.engine.plan.replace("sum(amount#2)", "avg(amount#2)")
    assert explain(dbt)[1:3] == [
        "  strategy affected keys, keys: customer",
        "  total: touched groups are computed again; sums of whole numbers and decimals, counts and"
        " extremes are not",
    ]


def test_what_would_spare_that() -> None:
    dbt = Dbt()
    values = {
        "strategy": "affected keys",
        "keys": ["k"],
        "values": {"n": "count_all", "mean": "holistic"},
        "wanted": {"mean": "sum(amt)"},
    }
    dbt("_explain_values", as_delta_plan(values))
    assert dbt.printed == [
        "  strategy affected keys, keys: k",
        "  mean: touched groups are computed again; with sum(amt) it would be added up",
    ]


def test_what_tells_the_rows_of_a_rollup_apart() -> None:
    dbt = Dbt()
    delta_plan = {"strategy": "affected keys", "keys": ["k", "s"], "lacks": "grouping_id()"}
    dbt("_explain_values", as_delta_plan(delta_plan))
    assert dbt.printed[1:] == [
        "  with grouping_id() in the result its rows would be told apart, and sums and counts added"
        " up",
    ]


@pytest.mark.parametrize("strategy", ["row delta", "nothing"])
def test_while_a_value_stays(strategy: str) -> None:
    dbt = Dbt()
    delta_plan = as_delta_plan({"strategy": strategy, "keys": ["k"]})
    dbt("_explain_values", {**delta_plan, "derived": [{"must_stay": False}]})
    before = list(dbt.printed)
    dbt("_explain_values", {**delta_plan, "derived": [{"must_stay": False}, {"must_stay": True}]})
    told = "  while the value of its subquery stays, as it does now; else COMPLETE"
    assert dbt.printed == [*before, told, *before]


def test_complete_and_the_way_out() -> None:
    dbt = built()
    change_source(dbt)
    first, second, *_ = explain(dbt, dry_run=True)
    assert first.startswith(f"{VIEW}: COMPLETE shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAV")
    assert second.startswith("  Switch the source's change data feed on, as the reason")


def test_nothing_changed() -> None:
    found = explain(built())
    assert found[0] == f"{VIEW}: SKIP nothing changed since shop.orders v2"
    assert found[-1].split() == ["shop.orders", "v2", "v2", "0", "-"]


def test_no_row_came_or_went() -> None:
    dbt = built()
    dbt.engine.state(VIEW, last_refresh_result="failed")
    first, _, head, _ = explain(dbt)
    assert first == f"{VIEW}: FAST the last refresh failed (no changed rows)"
    assert head.split()[0] == "source"


def test_while_another_run_refreshes() -> None:
    dbt = built()
    lock(dbt)
    change_source(dbt)
    assert explain(dbt)[0].startswith(f"{VIEW}: COMPLETE a refresh before did not finish")


def test_a_deferred_view() -> None:
    dbt = built(Model(config={"build": "deferred"}))
    assert explain(dbt)[0] == f"{VIEW}: COMPLETE first refresh of a deferred view"
    del dbt.engine.tables[VIEW]
    assert explain(Dbt(dbt.engine, *dbt.models))[0].startswith(f"{VIEW}: COMPLETE ")


def test_never_built() -> None:
    with pytest.raises(DbtError, match=r"state has no definition of it\. Build the view once"):
        explain(new())


def test_a_source_that_is_gone() -> None:
    dbt = built()

    def refuse(sql: str) -> None:
        raise RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] x")

    dbt.engine.on["read_explain"] = refuse
    del dbt.engine.tables[SOURCE]
    with pytest.raises(RuntimeError, match="TABLE_OR_VIEW_NOT_FOUND"):
        explain(dbt)


# Each source, what was read of it, where it is now, what changed.


def lines(state: Any, **job: Any) -> list[list[str]]:
    dbt = Dbt()
    sources = [
        {"relation": "c.s.a", "version": 4},
        {"relation": "c.s.b", "version": 7},
        {"relation": "c.s.c", "version": None},
    ]
    dbt("_explain_sources", as_job({"state": state, "sources": sources, **job}))
    return [line.split() for line in dbt.printed]


def test_sources() -> None:
    read = [{"relation": "c.s.a", "version": 2}, {"relation": "c.s.b", "version": 7}]
    changes = [{"relation": "c.s.a", "rows": 12}]
    assert lines({"sources": read}, changes=changes) == [
        ["source", "read", "now", "behind", "changed", "rows"],
        ["s.a", "v2", "v4", "2", "12"],
        ["s.b", "v7", "v7", "0", "-"],
        ["s.c", "-", "-", "-", "-"],
    ]


def test_before_the_first_refresh() -> None:
    assert lines({"sources": None})[1] == ["s.a", "-", "v4", "-", "-"]


# What would make a refresh FAST.


DBT = Dbt()
# Words of Spark's errors, of logs, of what is due, and of the environment.
OTHERS = {
    "DBT_MVIEW_DUE",
    "DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
    "FAILED_READ_FILE",
    "LOG_CHANGED",
    "PARSE_SYNTAX_ERROR",
    "SOURCE_MISSING",
    "TABLE_OR_VIEW_NOT_FOUND",
}
TEXTS = "".join(file.read_text() for file in macro_files())
WORDS = sorted(set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)\b', TEXTS)) - OTHERS)
ONCE = "The next refresh with changes of the sources alone may be."
PASSES = ["DEFINITION_CHANGED", "SCHEMA_CHANGED", "SOURCE_REPLACED", "TARGET_CHANGED"]


def job(not_fast: str | None, refresh: str = "auto") -> dict[str, Any]:
    reason = "shop.orders v2 -> v3"
    return as_job({"reason": reason, "not_fast": as_reason(not_fast), "spec": {"refresh": refresh}})


@pytest.mark.parametrize("word", WORDS)
def test_every_reason_has_a_way_out(word: str) -> None:
    way = DBT("_remedy", job(f"{word}: x"))
    assert (way == ONCE) == (word in PASSES), way


@pytest.mark.parametrize(
    ("macro", "args", "way"),
    [
        ("_not_in_of_null", (), "Write NOT EXISTS"),
        ("_lacks", ("the group key k",), "Let the view select that column"),
        ("_truncated_plan", (), "Give spark.sql.debug.maxToStringFields"),
        ("_printed_as_plan", ("a, b",), "Give it a name of letters"),
        ("_as_of_truncated_plan",
         ({"code": "SUBQUERY_NOT_INCREMENTAL", "detail": None, "also": []},),
         "Give spark.sql.debug.maxToStringFields"),
    ],
)  # fmt: skip
def test_what_is_at_fault_more_closely_has_a_way_out(macro: str, args: Any, way: str) -> None:
    asked = as_job({"reason": None, "not_fast": DBT(macro, *args), "spec": {"refresh": "auto"}})
    assert DBT("_remedy", asked).startswith(way)


# What a --full-refresh ends, so that the next refresh can be FAST.
ENDED = {
    "CHANGE_DATA_UNAVAILABLE", "DELETION_VECTORS_TOO_LARGE", "FAST_FAILED", "FAST_IS_SLOWER",
    "INVARIANT_BROKEN", "ROWS_BEYOND_LIMIT", "SMALL_SOURCE", "TIME_ZONE_CHANGED",
    "TOO_MANY_CHANGES", *PASSES,
}  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_the_way_out_where_the_model_insists(word: str) -> None:
    """--full-refresh is none where the next run fails for the same reason."""
    way = DBT("_way_out_of_fast", as_reason(f"{word}: x"))
    assert way.startswith("Set refresh to 'auto'")
    assert ("--full-refresh" in way) == (word in ENDED), way
    if word not in {*ENDED, "DATE_CHANGED"}:
        own = DBT("_remedy", job(f"{word}: x"))
        assert way == f"Set refresh to 'auto'. To keep 'fast': {own}" and own != ONCE


@pytest.mark.parametrize(
    ("code", "also", "way"),
    [
        ("SUBQUERY_NOT_INCREMENTAL", "value_changed", " once with --full-refresh."),
        ("SCHEMA_CHANGED", "column_kept", " once with --full-refresh."),
        ("CHANGE_DATA_UNAVAILABLE", "feed_is_off", " after this: Switch the source's change data"),
        ("CHANGE_DATA_UNAVAILABLE", "log_was_changed", " after this: Begin the log anew: dbt run"),
        ("INVARIANT_BROKEN", "not_there", " once with --full-refresh. If the view has row_number"),
    ],
)
def test_what_ends_with_a_full_refresh(code: str, also: str, way: str) -> None:
    found = DBT("_way_out_of_fast", DBT("_reason", code, "x", [also]))
    assert found.startswith("Set refresh to 'auto', or run once with --full-refresh"), found
    assert way in found


def test_there_are_reasons() -> None:
    assert set(PASSES) < set(WORDS) and len(WORDS) > 12
    assert DBT("_remedy", job(None)) == ONCE


def test_a_view_that_says_complete() -> None:
    assert DBT("_remedy", job(None, "complete")) == "Set refresh to auto."
