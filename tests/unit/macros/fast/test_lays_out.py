"""Commits that may give a table other partitions."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt

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
    assert Dbt()("_lays_out", commit) is may


@pytest.mark.parametrize(
    ("given", "may"),
    [(WHOLE, True), ({**WHOLE, "isDynamicPartitionOverwrite": "true"}, False)],
)
def test_a_writer_that_does_not_say(given: dict[str, str], may: bool) -> None:
    """Delta 4.0, and others."""
    commit = {"operation": "WRITE", "parameters": given, "engine": "Delta-Lake/4.0.0"}
    assert Dbt()("_lays_out", commit) is may
