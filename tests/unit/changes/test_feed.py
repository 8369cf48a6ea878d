"""What ends a change data feed, and what it may not give as the table has it."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import micros
from ..kit.harness import Dbt
from ..kit.records import text_of

# What ends a change data feed: each operation of Delta's history.


DBT = Dbt()
HOUR = 3_600_000


def broken(operation: str, parameters: Any = None, *, minute: float = 600, since: float = 0) -> Any:
    commit = {
        "version": 4,
        "operation": operation,
        "parameters": parameters or {},
        "commit_time": micros(minute),
    }
    first = {"version": 4, "commit_time": micros(since)}
    return text_of(DBT("_cdf_invalidated_by", commit, first))


@pytest.mark.parametrize("operation", ["RENAME COLUMN", "DROP COLUMNS", "REPLACE COLUMNS"])
def test_columns(operation: str) -> None:
    assert broken(operation) == "SCHEMA_CHANGED"
    assert broken("CHANGE COLUMN") is None


SWITCHED = "CHANGE_DATA_UNAVAILABLE: the feed was switched on or off meanwhile"
REPLACED = "CHANGE_DATA_UNAVAILABLE: replaced without a change data feed"


@pytest.mark.parametrize(
    ("operation", "properties", "reason"),
    [
        ("SET TBLPROPERTIES", '{"delta.enableChangeDataFeed":"true"}', SWITCHED),
        ("UNSET TBLPROPERTIES", '["delta.enableChangeDataFeed"]', SWITCHED),
        ("SET TBLPROPERTIES", '{"owner":"me"}', None),
        ("CREATE OR REPLACE TABLE AS SELECT", '{"delta.enableChangeDataFeed":"true"}', None),
        ("CREATE OR REPLACE TABLE AS SELECT", '{"delta.enableChangeDataFeed":"True"}', None),
        ("CREATE OR REPLACE TABLE AS SELECT", '{"delta.enableChangeDataFeed":"false"}', REPLACED),
        ("CREATE OR REPLACE TABLE AS SELECT", "{}", REPLACED),
        ("REPLACE TABLE", "{}", REPLACED),
    ],
)
def test_properties(operation: str, properties: str, reason: Any) -> None:
    assert broken(operation, {"properties": properties}) == reason


def test_without_properties() -> None:
    assert broken("SET TBLPROPERTIES") is None
    assert broken("REPLACE TABLE") == REPLACED


@pytest.mark.parametrize(
    ("since", "given", "gone"),
    [
        (0, {"defaultRetentionMillis": str(7 * 24 * HOUR)}, False),
        (0, {"defaultRetentionMillis": str(2 * HOUR)}, True),
        (481, {"defaultRetentionMillis": str(2 * HOUR)}, False),
        (479, {"defaultRetentionMillis": str(2 * HOUR)}, True),
        (599, {"specifiedRetentionMillis": "0", "defaultRetentionMillis": str(24 * HOUR)}, True),
        (600, {"specifiedRetentionMillis": "0"}, False),
        (599, {}, True),
    ],
)
def test_vacuum(since: float, given: Any, gone: bool) -> None:
    """It leaves what was removed within its retention."""
    reason = "CHANGE_DATA_UNAVAILABLE: removed by VACUUM"
    assert broken("VACUUM START", given, since=since) == (reason if gone else None)


@pytest.mark.parametrize(
    "operation",
    [
        "WRITE",
        "MERGE",
        "OPTIMIZE",
        "VACUUM END",
        "RESTORE",
        "ADD COLUMNS",
        "DELETE",
        "CHANGE COLUMN",
    ],
)
def test_all_else_leaves_it(operation: str) -> None:
    assert broken(operation) is None


def test_before_the_first_rows_only_columns_matter() -> None:
    off = {"properties": '{"delta.enableChangeDataFeed":"false"}'}
    for first in (None, {"version": 5, "commit_time": micros(601)}):
        for operation, reason in (("SET TBLPROPERTIES", None), ("DROP COLUMNS", "SCHEMA_CHANGED")):
            commit = {"version": 4, "operation": operation, "parameters": off, "commit_time": 0}
            assert text_of(DBT("_cdf_invalidated_by", commit, first)) == reason


# Old versions that Delta may refuse.


WEEK = 7 * 24 * 60
KEPT = "delta.deletedFileRetentionDuration"


@pytest.mark.parametrize(
    ("properties", "minutes"),
    [
        ({}, WEEK),
        ({KEPT: "interval 1 week"}, WEEK),
        ({KEPT: "interval 30 minutes"}, 30),
        ({KEPT: "INTERVAL 2 DAYS"}, 2 * 24 * 60),
        ({KEPT: "48 hours"}, 2 * 24 * 60),
        ({KEPT: "what nobody knows"}, 0),
    ],
)
def test_how_long_files_are_kept(properties: dict[str, str], minutes: int) -> None:
    assert Dbt()("_retention_micros", properties) == minutes * 60_000_000


@pytest.mark.parametrize(("minute", "asked"), [(720 - 31, True), (720 - 29, False), (None, True)])
@pytest.mark.parametrize("there", [True, False])
def test_the_engine_is_asked_about_old_ones(minute: Any, asked: bool, there: bool) -> None:
    """And about those that history does not hold."""
    dbt = Dbt()
    dbt.engine.feed_is_there = there
    commit = None if minute is None else {"commit_time": micros(minute)}
    refused = dbt("_is_unreadable", "t version as of 3", commit, {KEPT: "interval 30 minutes"})
    assert refused is (asked and not there)
    assert ("read_feed" in dbt.engine.steps) == asked
    assert not asked or "select 1 from t version as of 3 where false" in dbt.engine.sql("read_feed")


# Columns that a log leaves out.


READS = {"plan": "Relation c.s.facts[id#1,k#2,amt#3] parquet"}


def named(text: str) -> list[dict[str, str]]:
    return [{"name": name, "type": "int"} for name in text.split()]


@pytest.mark.parametrize(
    ("held", "used", "lacking"),
    [
        ("id k", ["k"], None),
        ("id k", ["K"], None),
        ("id k", ["k", "amt"], "amt"),
        ("id k", None, "amt"),
        ("id k amt", None, None),
    ],
)
def test_log_lacks(held: str, used: list[str] | None, lacking: str | None) -> None:
    log = {"name": "`c`.`s`.`facts_log`", "columns": named(held)}
    change: dict[str, Any] = {"log": log, "columns": named("id k amt"), "used": used}
    reason = lacking and f"CHANGE_DATA_UNAVAILABLE: s.facts_log leaves out {lacking}"
    assert text_of(Dbt()("_log_lacks", READS, change)) == reason
    assert Dbt()("_log_lacks", READS, {**change, "log": None}) is None


@pytest.mark.parametrize("used", [["k"], None, ["id"]])
def test_chars_that_a_log_keeps_as_texts(used: list[str] | None) -> None:
    """'a' is 'a ' where it is a CHAR, and is not where it is a text."""
    log = {"name": "`c`.`s`.`facts_log`", "columns": named("id k")}
    change: dict[str, Any] = {"log": log, "columns": named("id k"), "used": used}
    call = "static_invoke(CharVarcharCodegenUtils.readSidePadding(k#9, 5))"
    found = Dbt()("_log_lacks", {"plan": f"Project [id#1, {call} AS k#2]\n+- {READS}"}, change)
    reason = "CHANGE_DATA_UNAVAILABLE: s.facts_log keeps k, a CHAR, as a text"
    assert text_of(found) == (None if used == ["id"] else reason)


# What the change data feed may not give as the table has it.


CHANGE: dict[str, Any] = {"relation": "c.s.t", "maps": []}


def condition(*columns: tuple[str, str], used: Any = None) -> Any:
    dbt, change = Dbt(), {**CHANGE, "used": used}
    typed: list[Any] = [{"name": name, "type": type_} for name, type_ in columns]
    return dbt("_whole_texts_sql", dbt("_those_used", typed, change), change)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("string", "`a`"),
        ("string collate UNICODE", "cast(`a` as string)"),
        ("array<string>", "cast(`a` as string)"),
        ("map<int,string>", "cast(`a` as string)"),
        ("binary", None),
        ("struct<a:int>", None),
    ],
)
def test_types_that_have_texts(type_: str, text: str | None) -> None:
    found = condition(("a", type_), ("n", "int"))
    assert found is None if text is None else f"concat_ws('', {text})," in found


def test_all_of_them_at_once() -> None:
    sql = condition(("a", "string"), ("b", "string"))
    assert sql.startswith("case when contains(concat_ws('', `a`, `b`), decode(x'EFBFBD', 'utf-8'))")
    assert sql.endswith("no UTF-8: use refresh auto or --full-refresh') else true end")


def test_only_those_that_the_query_uses() -> None:
    assert "concat_ws('', `B`)" in condition(("a", "string"), ("B", "string"), used=["b"])
    assert condition(("a", "string"), ("b", "int"), used=["b"]) is None


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("map<int,int>", "size(`a`) > 4"),
        ("map<int,decimal(10,2)>", "size(`a`) > 4"),
        ("map<int,map<int,int>>", "`a` is not null"),
        ("struct<p:map<int,int>>", "`a` is not null"),
        ("int", None),
    ],
)
def test_maps_as_a_whole(type_: str, text: str | None) -> None:
    columns: list[Any] = [{"name": "a", "type": type_}]
    found = Dbt()("_feed_guard_sql", columns, {**CHANGE, "maps": ["a"]})
    assert found is None if text is None else found.startswith(f"case when {text} then raise_error")
    assert Dbt()("_feed_guard_sql", columns, CHANGE) is None


def test_texts_and_maps() -> None:
    columns: list[Any] = [{"name": "a", "type": "map<string,int>"}]
    sql = Dbt()("_feed_guard_sql", columns, {"relation": "c.s.t"})
    assert sql.count("raise_error(") == 2 and "end\n        and case when size(`a`) > 4" in sql


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("date", "`a` between date'1582-10-04' and date'1582-10-16'"),
        (
            "timestamp",
            "`a` between timestamp'1582-10-04 00:00:00Z' and timestamp'1582-10-17 00:00:00Z'",
        ),
        ("array<date>", "contains(cast(`a` as string), '1582-10-1')"),
        ("struct<t:timestamp>", "contains(cast(`a` as string), '1582-10-1')"),
        ("timestamp_ntz", None),
        ("int", None),
    ],
)
def test_dates_that_the_feed_gives_for_others(type_: str, text: str | None) -> None:
    columns: list[Any] = [{"name": "a", "type": type_}]
    found = Dbt()("_feed_guard_sql", columns, CHANGE)
    assert found is None if text is None else found.startswith(f"case when {text} then raise_error")
