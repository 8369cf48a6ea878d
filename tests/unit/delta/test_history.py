"""The commits of a Delta table, and what ours say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import HISTORY_COLUMNS, Commit, Delta, Engine, Table, micros
from ..kit.harness import Dbt
from ..kit.records import as_job, as_spec

# The commits of a Delta table, and which of them matter.


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


# What the package put into a commit.


META = '{"dbt_mview": {"reason": "\u4e2d"}}'


@pytest.mark.parametrize(
    ("text", "meta"),
    [
        (None, None),
        ("", None),
        ("by hand", None),
        ('{"other": 1}', None),
        ('{"dbt_mview": {"lock_token": 3}}', {"lock_token": 3}),
        ('{"dbt_mview": broken', None),
        ('{"dbt_mview": "by hand"}', None),
        ('{"dbt_mview": ["by hand"]}', None),
    ],
)
def test_commit_meta(text: str | None, meta: Any) -> None:
    assert Dbt()("_commit_meta", text) == meta


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, None),
        ({"notMatchedPredicates": None}, None),
        ({"notMatchedPredicates": '[{"actionType":"insert"}]'}, None),
        ({"notMatchedPredicates": "x in (7b226f7468657222)"}, None),
        ({"notMatchedPredicates": f"(op NOT IN (a, {META.encode().hex()}))"}, META),
    ],
)
def test_merge_meta(parameters: Any, text: str | None) -> None:
    assert Dbt()("_merge_meta", parameters) == text


# Which commit it was, by times that are not told exactly.


def at(version: int | None, time: int | None) -> dict[str, Any]:
    return {"version": version, "commit_time": time}


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (at(1, 5), at(1, 5), True),
        (at(1, 5), at(1, 10005), True),
        (at(1, 10005), at(1, 5), True),
        (at(1, 5), at(1, 10006), False),
        (at(1, 5), at(2, 5), False),
        (at(None, None), at(2, 5), False),
    ],
)
def test_same(a: Any, b: Any, same: bool) -> None:
    assert Dbt()("_same_commit", a, b) is same


@pytest.mark.parametrize(
    ("a", "b", "before"),
    [
        (at(1, 5), at(1, 5), False),
        (at(1, 5), at(2, 5), True),
        (at(2, 5), at(1, 5), False),
        (at(1, 5), at(1, 10005), False),
        (at(1, 5), at(1, 10006), True),
        (at(3, 5), at(1, 10006), True),
    ],
)
def test_before(a: Any, b: Any, before: bool) -> None:
    assert Dbt()("_came_before", a, b) is before


# What the publishing commit says of itself.


def test_a_deferred_build_has_read_nothing() -> None:
    spec = as_spec({"mview_id": "v"})
    job = as_job({"id": "j", "owner": "o", "read_time": 5, "deferred": True})
    assert Dbt()("_publish_meta", spec, job)["dbt_mview"]["read_time"] is None
    job["deferred"] = False
    assert Dbt()("_publish_meta", spec, job)["dbt_mview"]["read_time"] == 5
