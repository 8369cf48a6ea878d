"""What happened to each source since the last success, from its history alone."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import FEED, Delta, delta, micros
from ..kit.harness import Dbt, Model
from ..kit.log_scenes import base, run_log, started, vacuum
from ..kit.log_scenes import change as log_changes
from ..kit.log_scenes import pin as pin_of
from ..kit.records import text_of, with_text

# What happened to each source since the last success.


A, B = "spark_catalog.shop.a", "spark_catalog.shop.b"


def pin(relation: str, version: int | None, minute: float = 0) -> dict[str, Any]:
    at = None if version is None else micros(minute)
    return {"relation": relation, "version": version, "commit_time": at}


def changes(before: Any, now: list[dict[str, Any]]) -> tuple[Dbt, Any]:
    dbt = Dbt()
    for name in (A, B):
        dbt.engine.tables[name] = delta(*range(6))
        dbt.engine.tables[name].properties.update(FEED)
    found = dbt("_source_changes", {"state": {"sources": before}, "sources": now})
    return dbt, with_text(found)


def test_those_that_moved() -> None:
    dbt, found = changes([pin(A, 2, 2), pin(B, 3, 3)], [pin(A, 4, 4), pin(B, 3, 3)])
    assert found["reason"] is None
    assert [(one["relation"], one["start"], one["end"]) for one in found["changes"]] == [(A, 2, 4)]
    assert not any("`b`" in one.sql for one in dbt.engine.log), "one that stayed is not asked"


def test_times_of_one_second_are_told_out_of_order() -> None:
    """One commit, listed alone and with others; and the one that was read, by its history."""
    was = pin(A, 2, 2)
    was["commit_time"] += 1000
    assert changes([was], [pin(A, 2, 2)])[1] == {"reason": None, "changes": []}
    found = changes([was], [pin(A, 3, 3)])[1]
    assert found["reason"] is None and len(found["changes"]) == 1


def test_none() -> None:
    dbt, found = changes([pin(A, 2, 2)], [pin(A, 2, 2)])
    assert found == {"reason": None, "changes": []}
    assert dbt.engine.log == []


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        ([pin(A, 2, 2)], [pin(A, 2, 2), pin(B, 1, 1)], "DEFINITION_CHANGED"),
        (None, [pin(A, 2, 2)], "DEFINITION_CHANGED"),
        ([pin(A, 2, 2)], [pin(A, None)], "INPUT_NOT_IN_DELTA: shop.a"),
        ([pin(A, None)], [pin(A, 2, 2)], "INPUT_NOT_IN_DELTA: shop.a"),
        ([pin(A, 4, 4)], [pin(A, 2, 2)], "SOURCE_REPLACED: shop.a"),
        ([pin(A, 2, 2)], [pin(A, 2, 7)], "SOURCE_REPLACED: shop.a"),
        ([pin(A, 1, 1), pin(B, 4, 9)], [pin(A, 2, 2), pin(B, 5, 5)], "SOURCE_REPLACED: shop.b"),
    ],
)
def test_reasons(before: Any, now: list[dict[str, Any]], reason: str) -> None:
    assert changes(before, now)[1] == {"reason": reason, "changes": []}


# The change of one source, from its history alone.


NAME = "spark_catalog.shop.orders"


def table(*commits: tuple[str, int | None], feed: bool = True) -> Delta:
    """A table whose commits are one minute apart."""
    found = Delta([], properties=dict(FEED) if feed else {})
    for operation, rows in commits:
        parameters = {"mode": "Append"} if operation == "WRITE" else {}
        found.commit(len(found.commits), operation, rows, parameters=parameters)
    return found


def pinned(version: int, minute: float | None = None) -> dict[str, Any]:
    return {"version": version, "commit_time": micros(version if minute is None else minute)}


def change(source: Delta, was: Any, now: Any) -> tuple[Dbt, Any]:
    dbt = Dbt()
    dbt.engine.tables[NAME] = source
    return dbt, with_text(dbt("_source_change", NAME, was, now))


WRITES = [("WRITE", 10)] * 6

COLUMNS_GONE = "CHANGE_DATA_UNAVAILABLE: its columns of then cannot be read"


def test_what_came_since() -> None:
    dbt, found = change(table(*WRITES), pinned(2), pinned(4))
    assert found == {
        "reason": None,
        "relation": NAME,
        "start": 2,
        "first": 3,
        "first_time": found["first_time"],
        "end": 4,
        "rows": 20,
        "inserts": True,
        "deletes": False,
        "new_columns": [],
        "columns_since": None,
        "may_be_char": False,
        "large_vectors": False,
        "log": None,
        "compared": False,
        "columns": None,
        "used": None,
        "maps": None,
    }
    assert dbt.engine.steps == ["read_properties", "read_describe_history"]
    assert found["first_time"] == pinned(3)["commit_time"]
    assert dbt.engine.sql("read_describe_history").endswith(" limit 10")


def test_what_came_up_to_another_version_is_another_change() -> None:
    """Of two views of a run one may read the newest version, the other that of the run's start."""
    dbt = Dbt()
    dbt.engine.tables[NAME] = table(*WRITES)
    assert [dbt("_source_change", NAME, pinned(2), pinned(end))["end"] for end in (4, 3)] == [4, 3]


def test_a_long_history_is_read_down_to_the_version_that_was_read() -> None:
    """Newer commits than the pinned version, as the run reads as of its start."""
    dbt, found = change(table(*WRITES, *[("OPTIMIZE", None)] * 9), pinned(1), pinned(2))
    assert (found["rows"], found["reason"]) == (10, None)
    assert dbt.engine.steps.count("read_describe_history") == 2
    assert dbt.engine.sql("read_describe_history", 1).endswith(" limit 16")


def test_what_comes_after_the_pinned_version_is_not_counted() -> None:
    _, found = change(table(*WRITES, ("TRUNCATE", None)), pinned(2), pinned(5))
    assert (found["rows"], found["deletes"]) == (30, False)


@pytest.mark.parametrize("feed", [True, False])
def test_commits_without_rows_are_passed_over(feed: bool) -> None:
    """No feed is needed for them."""
    harmless = (("OPTIMIZE", None), ("SET TBLPROPERTIES", None))
    _, found = change(table(*WRITES, *harmless, feed=feed), pinned(5), pinned(7))
    assert found["reason"] is None
    assert (found["rows"], found["inserts"], found["deletes"]) == (0, False, False)


@pytest.mark.parametrize(
    ("source", "was", "now", "reason"),
    [
        (table(*WRITES), pinned(4), pinned(4, 99), "SOURCE_REPLACED"),
        (table(*WRITES), pinned(5), pinned(3), "SOURCE_REPLACED"),
        (table(*WRITES), pinned(2, 99), pinned(4), "SOURCE_REPLACED"),
        (
            table(*WRITES, feed=False),
            pinned(2),
            pinned(4),
            "CHANGE_DATA_UNAVAILABLE: no change data feed (alter table shop.orders set"
            " tblproperties ('delta.enableChangeDataFeed' = 'true'))",
        ),
        (
            table(*WRITES, ("OPTIMIZE", None), feed=False),
            pinned(5, 99),
            pinned(6),
            "SOURCE_REPLACED",
        ),
        (table(*WRITES, ("DROP COLUMNS", None)), pinned(2), pinned(6), "SCHEMA_CHANGED"),
        (table(*WRITES, ("DROP COLUMNS", None)), pinned(2), pinned(4), "SCHEMA_CHANGED"),
        (
            table(*WRITES, ("REPLACE TABLE", None), ("VACUUM START", None)),
            pinned(2),
            pinned(7),
            "CHANGE_DATA_UNAVAILABLE: removed by VACUUM",
        ),
    ],
)
def test_change_of_reasons(source: Delta, was: Any, now: Any, reason: str) -> None:
    assert change(source, was, now)[1] == {"reason": reason}


@pytest.mark.parametrize("feed", [True, False])
@pytest.mark.parametrize("operation", ["REPLACE TABLE", "CREATE OR REPLACE TABLE AS SELECT"])
def test_what_was_replaced_is_compared(feed: bool, operation: str) -> None:
    found = change(table(*WRITES, (operation, None), feed=feed), pinned(2), pinned(6))[1]
    assert (found["compared"], found["rows"], found["inserts"], found["deletes"]) == (
        True, None, True, True
    )  # fmt: skip
    assert (found["start"], found["end"], found["columns_since"]) == (2, 6, 2)


PARTS = {
    "replace where": ({"predicate": "(day = 3)"}, {"numDeletedRows": 6, "numCopiedRows": 4}),
    "dynamic": (
        {"isDynamicPartitionOverwrite": "true"},
        {"numRemovedBytes": 300, "numOutputBytes": 500},
    ),
}


def overwritten(kind: str, rows: int, held: int, feed: bool = True) -> Any:
    """The change of a table of so many rows, of which an overwrite put in some."""
    parameters, metrics = PARTS[kind]
    source = table(("WRITE", held), ("WRITE", 1), feed=feed)
    given = {"mode": "Overwrite", **parameters}
    source.commit(2, "WRITE", rows, parameters=given, **metrics)
    source.size = held
    return change(source, pinned(1), pinned(2))[1]


@pytest.mark.parametrize(("kind", "rows"), [("replace where", 10 - 4 + 6), ("dynamic", 10 + 6)])
def test_of_a_part_that_was_overwritten_the_feed_is_read(kind: str, rows: int) -> None:
    found = overwritten(kind, 10, held=1000)
    assert (found["compared"], found["first"], found["rows"]) == (False, 2, rows)
    assert (found["inserts"], found["deletes"]) == (True, True)
    assert overwritten(kind, 10, held=100)["compared"], "more than a tenth of the table"
    assert overwritten(kind, 10, held=1000, feed=False)["compared"]


def test_of_a_part_of_which_nothing_is_left_it_is_not_known_how_much_went() -> None:
    assert overwritten("dynamic", 0, held=1000)["compared"]


def test_what_a_feed_lacks_and_was_not_replaced_is_not_compared() -> None:
    found = change(table(*WRITES, feed=False), pinned(2), pinned(4))[1]
    assert found["reason"].startswith("CHANGE_DATA_UNAVAILABLE: no change data feed")


def test_what_happened_before_is_past() -> None:
    source = table(("WRITE", 1), ("DROP COLUMNS", None), *WRITES)
    assert change(source, pinned(1), pinned(3))[1]["reason"] is None


def test_a_log_that_is_cleaned_up() -> None:
    """The version that was read last is no longer in the history."""
    source = table(*WRITES)
    del source.commits[:3]
    assert change(source, pinned(2), pinned(5))[1] == {"reason": "CHANGE_DATA_UNAVAILABLE"}


@pytest.mark.parametrize("value", ["true", "True", "TRUE"])
def test_the_feed_as_dbt_writes_it(value: str) -> None:
    source = table(*WRITES)
    source.properties["delta.enableChangeDataFeed"] = value
    assert change(source, pinned(2), pinned(4))[1]["reason"] is None


def test_vacuum_since() -> None:
    source = table(*WRITES)
    day = str(24 * 3_600_000)
    source.commit(2000, "VACUUM START", parameters={"defaultRetentionMillis": day})
    assert change(source, pinned(2), pinned(5))[1]["reason"].endswith("removed by VACUUM")
    source.commits[-1].parameters["defaultRetentionMillis"] = str(7 * 24 * 3_600_000)
    assert change(source, pinned(2), pinned(5))[1]["reason"] is None


def test_the_feed_is_read_from_the_first_rows_on() -> None:
    """What stands before them, and is gone or was switched, does not matter."""
    source = table(("WRITE", 10), ("OPTIMIZE", None), ("SET TBLPROPERTIES", None), ("WRITE", 7))
    source.commits[2].parameters["properties"] = '{"delta.enableChangeDataFeed":"true"}'
    found = change(source, pinned(0), pinned(3))[1]
    assert (found["reason"], found["start"], found["first"], found["rows"]) == (None, 0, 3, 7)


def test_columns_that_came() -> None:
    source = table(("WRITE", 10), ("ADD COLUMNS", None), ("WRITE", 7))
    source.commits[1].parameters["columns"] = '[{"column":{"name":"Extra"}}]'
    assert change(source, pinned(0), pinned(2))[1]["new_columns"] == ["extra"]


@pytest.mark.parametrize(("kept", "asked"), [("interval 1 minutes", True), ("3650 days", False)])
def test_the_engine_is_asked_about_old_commits(kept: str, asked: bool) -> None:
    source = table(*WRITES)
    source.properties["delta.deletedFileRetentionDuration"] = kept
    dbt = Dbt()
    dbt.engine.tables[NAME] = source
    dbt.engine.feed_is_there = False
    found = with_text(dbt("_source_change", NAME, pinned(2), pinned(4)))
    assert ("read_feed" in dbt.engine.steps) == asked
    assert found["reason"] == (
        "CHANGE_DATA_UNAVAILABLE: older than the table keeps" if asked else None
    )


def test_what_the_feed_does_not_have_comes_from_a_log() -> None:
    dbt = started()
    log_changes(dbt)
    run_log(dbt)
    vacuum(base(dbt), 60)
    assert dbt("_feed_change", NAME, pin_of(dbt, 2), pin_of(dbt, 6))["reason"]["detail"].endswith(
        "VACUUM"
    )
    found = dbt("_source_change", NAME, pin_of(dbt, 2), pin_of(dbt, 6))
    assert (found["reason"], found["rows"], found["log"]["end"]) == (None, 6, 5)
    dbt.engine.forget()
    base(dbt).commit(61, "WRITE", 3, parameters={"mode": "Append"})
    found = dbt("_source_change", NAME, pin_of(dbt, 6), pin_of(dbt, 7))
    assert found["rows"] == 3 and found["log"] is None
    assert "read_logs" not in dbt.engine.steps, "the feed has it: no log is asked"


@pytest.mark.parametrize(("operation", "asked"), [("MERGE", True), ("WRITE", False)])
def test_columns_of_a_version_that_the_table_does_not_keep(operation: str, asked: bool) -> None:
    """A source that was quiet for a week: Delta refuses the version that was read last."""
    source = table(*WRITES)
    source.commits[-1].operation = operation
    source.properties["delta.deletedFileRetentionDuration"] = "interval 5 hours"
    source.commits[-1].minute = 719
    dbt = Dbt()
    dbt.engine.tables[NAME] = source
    dbt.engine.feed_is_there = False
    last = source.commits[-1].version
    found = dbt(
        "_source_change", NAME, pinned(last - 1), {**pinned(last), "commit_time": micros(719)}
    )
    assert (text_of(found["reason"]) == COLUMNS_GONE) == asked
    assert ("version as of" in dbt.engine.sql("read_feed")) if asked else True


def test_a_log_goes_on_where_a_quiet_base_gets_a_merge() -> None:
    """Its feed is there; whether the columns of then can be looked at does not concern it."""
    source = table(*WRITES, ("MERGE", 1))
    source.properties["delta.deletedFileRetentionDuration"] = "interval 1 second"
    dbt = Dbt()
    dbt.engine.tables[NAME] = source
    dbt.engine.on["read_feed"] = lambda sql: setattr(
        dbt.engine, "feed_is_there", "version as of" not in sql
    )
    assert dbt("_feed_change", NAME, pinned(5), pinned(6))["reason"] is None
    found = dbt("_source_change", NAME, pinned(5), pinned(6))
    assert with_text(found) == {"reason": COLUMNS_GONE}


# What one commit of a source adds to its change: each operation of Delta's history.


DBT = Dbt()
NOTHING = {"rows": 0, "inserts": False, "deletes": False}


def add(change: dict[str, Any], operation: str, parameters: Any = None, **metrics: int) -> Any:
    texts = {name: str(value) for name, value in metrics.items()}
    commit = {"operation": operation, "parameters": parameters or {}, "metrics": texts}
    commit.update(version=5, meta=None)
    found = dict(change)
    DBT("_add_commit_effect", found, commit)
    return found["rows"], found["inserts"], found["deletes"]


ANY = (None, True, True)
APPEND = {"mode": "Append", "partitionBy": "[]"}
MERGED = {"numTargetRowsUpdated": 0, "numTargetRowsDeleted": 0, "numTargetRowsInserted": 0}


@pytest.mark.parametrize(
    ("operation", "parameters", "metrics", "found"),
    [
        ("WRITE", APPEND, {"numOutputRows": 7}, (7, True, False)),
        ("WRITE", APPEND, {}, (None, True, False)),
        ("WRITE", {"mode": "Overwrite"}, {"numOutputRows": 7}, ANY),
        ("WRITE", {"mode": "Overwrite", "predicate": '["true"]'}, {"numOutputRows": 7}, ANY),
        ("WRITE", {**APPEND, "predicate": '["x"]'}, {"numOutputRows": 7}, ANY),
        ("WRITE", {}, {"numOutputRows": 7}, ANY),
        ("STREAMING UPDATE", {"outputMode": "Append"}, {"numOutputRows": 7}, (7, True, False)),
        ("STREAMING UPDATE", {"outputMode": "Complete"}, {"numOutputRows": 7}, ANY),
        ("DELETE", {}, {"numDeletedRows": 4}, (4, False, True)),
        ("DELETE", {}, {"numRemovedFiles": 1}, (None, False, True)),
        ("UPDATE", {}, {"numUpdatedRows": 3}, (6, True, True)),
        ("MERGE", {}, {**MERGED, "numTargetRowsInserted": 5}, (5, True, False)),
        ("MERGE", {}, {**MERGED, "numTargetRowsDeleted": 5}, (5, False, True)),
        ("MERGE", {}, {**MERGED, "numTargetRowsUpdated": 5}, (10, True, True)),
        ("MERGE", {}, MERGED, (0, False, False)),
        ("MERGE", {}, {}, ANY),
        ("ADD COLUMNS", {}, {}, (0, False, False)),
        ("TRUNCATE", {}, {"numRemovedFiles": 1}, ANY),
        ("RESTORE", {}, {"numRestoredFiles": 1}, ANY),
        ("CREATE OR REPLACE TABLE AS SELECT", {}, {"numOutputRows": 9}, ANY),
        ("REPLACE TABLE", {}, {}, ANY),
        ("CLONE", {}, {}, ANY),
        ("SOME NEW OPERATION", {}, {"numOutputRows": 9}, ANY),
    ],
)
def test_operations(operation: str, parameters: Any, metrics: Any, found: Any) -> None:
    assert add(NOTHING, operation, parameters, **metrics) == found


def test_commits_add_up() -> None:
    change = {"rows": 10, "inserts": True, "deletes": False}
    assert add(change, "WRITE", APPEND, numOutputRows=5) == (15, True, False)
    assert add(change, "DELETE", numDeletedRows=5) == (15, True, True)
    assert add(change, "RESTORE") == (None, True, True)
    unknown = {"rows": None, "inserts": True, "deletes": False}
    assert add(unknown, "WRITE", APPEND, numOutputRows=5) == (None, True, False)


@pytest.mark.parametrize(
    ("deleted", "updated", "large"),
    [(100_000, 1, True), (100_000, 10, False), (100_000, 0, False), (9, 1, False)],
)
def test_deletion_vectors_that_grow_by_much(deleted: int, updated: int, large: bool) -> None:
    """One that is new is read as it is; one that got more rows, by another one of those."""
    metrics = {"numDeletedRows": str(deleted), "numDeletionVectorsUpdated": str(updated)}
    change: dict[str, Any] = dict(NOTHING)
    DBT("_add_commit_effect", change, {"operation": "DELETE", "parameters": {}, "metrics": metrics})
    assert change.get("large_vectors", False) is large


# What switches the feed of a source on.


@pytest.mark.parametrize(
    ("config", "way"),
    [
        ({"materialized": "mview"}, "change_feed: true in its model, from its next refresh on"),
        (
            {"materialized": "mview", "tblproperties": {"delta.columnMapping.mode": "name"}},
            "alter table shop.totals set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        ),
        (
            {"materialized": "table"},
            "tblproperties: {delta.enableChangeDataFeed: true} in its model",
        ),
        (
            {"materialized": "seed"},
            "post_hook of the seed: alter table shop.totals set tblproperties"
            " ('delta.enableChangeDataFeed' = 'true')",
        ),
        (
            {"materialized": "incremental"},
            "alter table shop.totals set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        ),
    ],
)
def test_way_to_the_feed(config: dict[str, Any], way: str) -> None:
    dbt = Dbt(None, Model(config=config))
    assert dbt("_way_to_feed", "spark_catalog.shop.totals") == way
