"""What one commit of a source adds to its change: each operation of Delta's history."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

DBT = Dbt()
NOTHING = {"rows": 0, "inserts": False, "deletes": False}


def add(change: dict[str, Any], operation: str, parameters: Any = None, **metrics: int) -> Any:
    texts = {name: str(value) for name, value in metrics.items()}
    commit = {"operation": operation, "parameters": parameters or {}, "metrics": texts}
    found = dict(change)
    DBT("_add_commit", found, commit)
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
    DBT("_add_commit", change, {"operation": "DELETE", "parameters": {}, "metrics": metrics})
    assert change.get("large_vectors", False) is large
