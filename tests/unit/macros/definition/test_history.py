"""The commits of a Delta table, and which of them matter."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import Commit, Delta, Engine, micros
from ..harness import Dbt


def engine_with(*commits: Commit) -> Engine:
    engine = Engine()
    engine.tables["spark_catalog.shop.t"] = Delta(list(commits))
    return engine


def test_history_newest_first() -> None:
    meta = '{"dbt_mview": {"mview_id": "x"}}'
    engine = engine_with(
        Commit(0, 1, "CREATE TABLE", rows=None), Commit(1, 2.5, rows=4, meta=meta), Commit(2, 3)
    )
    dbt = Dbt(engine)
    history = dbt("_delta_history", "`shop`.`t`", 2)
    assert engine.sql("read_describe_history").endswith("describe history `shop`.`t` limit 2")
    assert [commit["version"] for commit in history] == [2, 1]
    assert history[1] == {
        "version": 1,
        "commit_time": micros(2.5),
        "operation": "WRITE",
        "rows": 4,
        "meta": {"mview_id": "x"},
    }
    whole = dbt("_delta_history", "`shop`.`t`", None)
    assert engine.sql("read_describe_history", 1).endswith("describe history `shop`.`t`")
    assert whole[2]["rows"] is None and whole[2]["meta"] is None


def test_metrics_as_text() -> None:
    """Over thrift a map arrives as JSON text."""
    engine = engine_with(Commit(0, 1))
    columns = ("version", "timestamp", "operation", "operationMetrics", "userMetadata")
    row = [0, engine.tables["spark_catalog.shop.t"].commits[0].at, "WRITE", None, None]
    from ..engine import Table

    for metrics, rows in [('{"numOutputRows": "12"}', 12), ("", None), (None, None)]:
        row[3] = metrics
        answer = Table([list(row)], columns)
        engine._read_describe_history = lambda sql, answer=answer: answer  # type: ignore[method-assign]
        assert Dbt(engine)("_delta_history", "`shop`.`t`", 1)[0]["rows"] == rows


@pytest.mark.parametrize(
    ("text", "meta"),
    [
        (None, None),
        ("", None),
        ("by hand", None),
        ('{"other": 1}', None),
        ('{"dbt_mview": {"fence": 3}}', {"fence": 3}),
        ('{"dbt_mview": broken', None),
        ('{"dbt_mview": "by hand"}', None),
        ('{"dbt_mview": ["by hand"]}', None),
    ],
)
def test_commit_meta(text: str | None, meta: Any) -> None:
    assert Dbt()("_commit_meta", text) == meta


@pytest.mark.parametrize(
    ("operation", "meta", "matters"),
    [
        ("WRITE", None, True),
        ("DELETE", None, True),
        ("RESTORE", None, True),
        ("TRUNCATE", None, True),
        ("ADD COLUMNS", None, True),
        ("CREATE OR REPLACE TABLE AS SELECT", {"mview_id": "x"}, True),
        ("OPTIMIZE", None, False),
        ("SET TBLPROPERTIES", None, False),
        ("VACUUM END", None, False),
        ("WRITE", {"fence": 2}, False),
    ],
)
def test_is_data_commit(operation: str, meta: Any, matters: bool) -> None:
    commit = {"operation": operation, "meta": meta}
    assert Dbt()("_is_data_commit", commit) is matters
