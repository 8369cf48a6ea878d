"""Commits that lay a table out anew."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Commit, Delta
from ..kit.harness import Dbt, Model
from ..kit.records import text_of
from ..kit.scenes import SOURCE, built, with_feed

# Commits that may give a table other partitions.


WHOLE = {"mode": "Overwrite", "partitionBy": "[]"}


@pytest.mark.parametrize(
    ("operation", "given", "may"),
    [
        ("CREATE TABLE AS SELECT", {}, True),
        ("REPLACE TABLE", {}, True),
        ("CONVERT", {}, True),
        ("WRITE", {**WHOLE, "canOverwriteSchema": "true"}, True),
        ("WRITE", WHOLE, False),
        # What a session that overwrites dynamically says of all that it overwrites.
        (
            "WRITE",
            {**WHOLE, "canOverwriteSchema": "true", "isDynamicPartitionOverwrite": "true"},
            True,
        ),
        ("WRITE", {**WHOLE, "isDynamicPartitionOverwrite": "true"}, False),
        ("WRITE", {**WHOLE, "canOverwriteSchema": "true", "predicate": "k = 1"}, False),
        ("WRITE", {"mode": "Append"}, False),
        ("MERGE", {}, False),
        ("RESTORE", {}, False),
        ("DELETE", {}, False),
    ],
)
def test_what_may_lay_out(operation: str, given: dict[str, str], may: bool) -> None:
    engine = "Apache-Spark/4.1.1 Delta-Lake/4.4.0"
    commit = {"operation": operation, "parameters": given, "engine": engine}
    assert Dbt()("_may_repartition", commit) is may


@pytest.mark.parametrize(
    ("given", "may"),
    [(WHOLE, True), ({**WHOLE, "isDynamicPartitionOverwrite": "true"}, False)],
)
def test_a_writer_that_does_not_say(given: dict[str, str], may: bool) -> None:
    """Delta 4.0, and others."""
    commit = {"operation": "WRITE", "parameters": given, "engine": "Delta-Lake/4.0.0"}
    assert Dbt()("_may_repartition", commit) is may


# Tables that were replaced, overwritten or restored with other columns or partitions.


NAME = "spark_catalog.shop.orders"
MADE = ("CREATE TABLE", {"partitionBy": '["k"]'})
WRITE = ("WRITE", {"mode": "Append", "partitionBy": "[]"})
SAME = ("CREATE OR REPLACE TABLE AS SELECT", {"partitionBy": '["k"]'})
OTHER = ("CREATE OR REPLACE TABLE", {"partitionBy": "[]"})

COLUMNS = "CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other columns"
PARTITIONS = "CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other partitions"


def why(
    commits: list[tuple[str, dict[str, str]]], start: int, first: int = 0, feed: bool = True
) -> tuple[Any, Dbt]:
    """What is said of a table whose history has these commits, and was read at version `start`."""
    dbt = Dbt()
    dbt.engine.feed_is_there = feed
    history = [
        Commit(first + at, at, operation, parameters=parameters)
        for at, (operation, parameters) in enumerate(commits)
    ]
    dbt.engine.tables[NAME] = Delta(history)
    end = first + len(commits) - 1
    change = {"relation": NAME, "start": start, "first": start + 1, "end": end}
    return text_of(dbt("_why_repartitioned", change)), dbt


def restore(version: str | None) -> tuple[str, dict[str, Any]]:
    return "RESTORE", {"version": version, "timestamp": None if version else "2026-01-01"}


@pytest.mark.parametrize(
    ("commits", "start", "found"),
    [
        ([MADE, WRITE, SAME], 1, None),
        ([MADE, WRITE, OTHER], 1, PARTITIONS),
        ([MADE, WRITE, OTHER, SAME], 1, PARTITIONS),  # read as of between as well
        ([MADE, OTHER, WRITE, OTHER], 2, None),  # what was before is no matter
        ([MADE, WRITE, restore("1")], 1, None),
        ([MADE, WRITE, WRITE, restore("0")], 2, None),
        ([MADE, OTHER, WRITE, restore("0")], 2, PARTITIONS),
        ([MADE, OTHER, WRITE, restore("1")], 2, None),
        ([MADE, OTHER, WRITE, restore(None)], 2, PARTITIONS),  # to a time: of whatever version
        ([MADE, ("CLONE", {})], 0, PARTITIONS),
        # restored before it was read: its files are laid out as of then
        ([MADE, OTHER, restore("0"), OTHER], 2, PARTITIONS),
        ([MADE, OTHER, restore("0"), WRITE, restore("1")], 3, PARTITIONS),
        ([MADE, OTHER, restore("1"), OTHER], 2, None),
    ],
)
def test_partitions(commits: Any, start: int, found: str | None) -> None:
    assert why(commits, start)[0] == found


def test_what_the_history_does_not_reach_is_not_known() -> None:
    assert why([WRITE, SAME], 7, first=7)[0] == PARTITIONS
    assert why([SAME, WRITE, SAME], 8, first=7)[0] is None


def test_what_came_after_the_version_that_is_read() -> None:
    """Delta reads by the partitions of the newest version, whichever is asked for."""
    found, dbt = why([MADE, WRITE, WRITE, OTHER], 1)
    assert found == PARTITIONS
    change = {"relation": NAME, "start": 1, "first": 2, "end": 2}
    assert text_of(dbt("_why_repartitioned", change)) == PARTITIONS
    change = {"relation": NAME, "start": 3, "first": 4, "end": 4}
    assert dbt("_why_repartitioned", change) is None


def test_delta_compares_the_columns() -> None:
    found, dbt = why([MADE, WRITE, SAME], 1, feed=False)
    assert found == COLUMNS
    asked = "select 1 from table_changes('`spark_catalog`.`shop`.`orders`', 1, 2)\n"
    asked = asked.rstrip("\n") + " where _commit_version > 2"
    assert asked in dbt.engine.sql("read_feed")


def test_where_no_commit_may_nothing_is_asked() -> None:
    found, dbt = why([MADE, WRITE, WRITE, ("OPTIMIZE", {})], 1)
    assert (found, dbt.engine.steps) == (None, ["read_properties", "read_describe_history"])


@pytest.mark.parametrize("refresh", ["fast", "auto"])
def test_what_asks(refresh: str) -> None:
    dbt = with_feed(built(Model(config={"refresh": refresh})))
    feed = '{"delta.enableChangeDataFeed":"true"}'
    source = dbt.engine.tables[SOURCE]
    source.commit(40, SAME[0], 10, parameters={**SAME[1], "properties": feed})
    (result,) = dbt.run()
    assert "compared versions" in result.message
