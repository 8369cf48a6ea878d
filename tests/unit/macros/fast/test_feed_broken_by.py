"""What ends a change data feed: each operation of Delta's history."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt

DBT = Dbt()
HOUR = 3_600_000


def broken(operation: str, parameters: Any = None, *, minute: float = 600, since: float = 0) -> Any:
    commit = {
        "version": 4,
        "operation": operation,
        "parameters": parameters or {},
        "commit_time": micros(minute),
    }
    return DBT("_feed_broken_by", commit, {"version": 4, "commit_time": micros(since)})


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
            assert DBT("_feed_broken_by", commit, first) == reason
