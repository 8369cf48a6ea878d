"""The commits of a Delta table, and which of them matter."""

from __future__ import annotations

import pytest

from ...kit.engine import HISTORY_COLUMNS, Commit, Delta, Engine, Table, micros
from ...kit.harness import Dbt


def engine_with(*commits: Commit) -> Engine:
    engine = Engine()
    engine.tables["spark_catalog.shop.t"] = Delta(list(commits))
    return engine


def test_history_newest_first() -> None:
    meta = '{"dbt_mview": {"mview_id": "x"}}'
    engine = engine_with(
        Commit(0, 1, "CREATE TABLE", rows=None),
        Commit(1, 2.5, rows=4, meta=meta, parameters={"mode": "Append"}),
        Commit(2, 3),
    )
    dbt = Dbt(engine)
    history = dbt("_delta_history", "`shop`.`t`", 2)
    assert engine.sql("read_describe_history").endswith("describe history `shop`.`t` limit 2")
    assert [commit["version"] for commit in history] == [2, 1]
    assert history[1] == {
        "version": 1,
        "commit_time": micros(2.5),
        "operation": "WRITE",
        "engine": "Apache-Spark/4.1.1 Delta-Lake/4.4.0",
        "rows": 4,
        "metrics": {"numOutputRows": "4"},
        "parameters": {"mode": "Append"},
        "meta": {"mview_id": "x"},
    }
    whole = dbt("_delta_history", "`shop`.`t`", None)
    assert engine.sql("read_describe_history", 1).endswith("describe history `shop`.`t`")
    assert whole[2]["rows"] is None and whole[2]["meta"] is None


def test_maps_as_text() -> None:
    """Over thrift a map arrives as JSON text."""
    engine = engine_with(Commit(0, 1))
    at = engine.tables["spark_catalog.shop.t"].commits[0].at
    for text, rows in [('{"numOutputRows": "12"}', 12), ("", None), (None, None)]:
        answer = Table([[0, at, "WRITE", '{"mode": "Append"}', text, None]], HISTORY_COLUMNS)
        engine._read_describe_history = lambda sql, answer=answer: answer  # type: ignore[method-assign]
        (commit,) = Dbt(engine)("_delta_history", "`shop`.`t`", 1)
        assert commit["rows"] == rows
        assert commit["parameters"] == {"mode": "Append"}


def test_a_commit_of_a_writer_that_says_nothing() -> None:
    """Delta's commitInfo is optional."""
    engine = Engine()
    row = [[0, engine_with(Commit(0, 1)).tables["spark_catalog.shop.t"].commits[0].at, *[None] * 4]]
    engine._read_describe_history = lambda sql: Table(row, HISTORY_COLUMNS)  # type: ignore[method-assign]
    dbt = Dbt(engine)
    (commit,) = dbt("_delta_history", "`shop`.`t`", 1)
    assert (commit["operation"], commit["rows"], commit["meta"]) == ("", None, None)
    assert dbt("_is_data_commit", commit) and dbt("_may_change_columns", commit)


def test_a_merge() -> None:
    """It has no userMetadata of its own: what a refresh says of itself stands in a condition."""
    meta = '{"dbt_mview": {"mview_id": "x", "reason": "\u4e2d"}}'
    condition = f"(s._mview_op NOT IN (delete, {meta.encode().hex()}))"
    metrics = {"numTargetRowsUpdated": "7", "numTargetRowsDeleted": "2"}
    metrics["numTargetRowsInserted"] = "3"
    engine = engine_with(
        Commit(
            0, 1, "MERGE", None, parameters={"notMatchedPredicates": condition}, metrics=metrics
        ),
        Commit(1, 2, "MERGE", None, meta='{"dbt_mview": {"mview_id": "by hand"}}'),
    )
    foreign, ours = Dbt(engine)("_delta_history", "`shop`.`t`", None)
    assert (ours["rows"], ours["meta"]) == (12, {"mview_id": "x", "reason": "\u4e2d"})
    assert (foreign["rows"], foreign["meta"]) == (0, None)


@pytest.mark.parametrize(
    ("operation", "matters"),
    [
        ("WRITE", True),
        ("MERGE", True),
        ("DELETE", True),
        ("RESTORE", True),
        ("TRUNCATE", True),
        ("ADD COLUMNS", True),
        ("CREATE OR REPLACE TABLE AS SELECT", True),
        ("OPTIMIZE", False),
        ("SET TBLPROPERTIES", False),
        ("VACUUM END", False),
    ],
)
def test_is_data_commit(operation: str, matters: bool) -> None:
    assert Dbt()("_is_data_commit", {"operation": operation, "meta": None}) is matters


@pytest.mark.parametrize(
    ("operation", "parameters", "may"),
    [
        ("WRITE", {"mode": "Append"}, False),
        ("WRITE", {"mode": "Append", "canMergeSchema": "true"}, True),
        ("WRITE", {"mode": "Append", "canMergeSchema": "false"}, False),
        ("WRITE", {"mode": "Overwrite", "canOverwriteSchema": "true"}, True),
        ("STREAMING UPDATE", {"outputMode": "Append"}, True),
        ("MERGE", {}, True),
        ("ADD COLUMNS", {}, True),
        ("CHANGE COLUMN", {"position": "FIRST"}, True),
        ("CHANGE COLUMNS", {}, True),
        ("REPLACE COLUMNS", {}, True),
        ("RESTORE", {}, True),
        ("CREATE OR REPLACE TABLE AS SELECT", {}, True),
        ("DELETE", {}, False),
        ("UPDATE", {}, False),
        ("TRUNCATE", {}, False),
        ("OPTIMIZE", {}, False),
        ("SET TBLPROPERTIES", {}, False),
    ],
)
def test_commits_that_may_change_columns(operation: str, parameters: object, may: bool) -> None:
    engine = "Apache-Spark/4.1.1 Delta-Lake/4.4.0"
    commit = {"operation": operation, "parameters": parameters, "engine": engine}
    assert Dbt()("_may_change_columns", commit) is may


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        ("Apache-Spark/4.0.1 Delta-Lake/4.0.1", False),
        ("Apache-Spark/4.0.1 Delta-Lake/4.1.0", True),
        ("Apache-Spark/9.0.0 Delta-Lake/10.0.0-SNAPSHOT", True),
        ("Databricks-Runtime/17.3.x-scala2.13", False),
        ("Kernel-4.4.0/Flink", False),
        (None, False),
    ],
)
def test_who_says_whether_columns_may_come(engine: str | None, says: bool) -> None:
    commit = {"operation": "WRITE", "parameters": {"mode": "Append"}, "engine": engine}
    assert Dbt()("_may_change_columns", commit) is not says
