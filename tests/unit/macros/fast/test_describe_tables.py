"""The columns of all tables of a query, in one statement."""

from __future__ import annotations

from typing import Any

from ...kit.engine import delta
from ...kit.harness import Dbt

F, D = "spark_catalog.shop.facts", "spark_catalog.shop.dims"


def described(rows: list[tuple[str, str]], *tables: str) -> tuple[Any, Dbt]:
    dbt = Dbt()
    for name in tables:
        dbt.engine.tables[name] = delta(1, columns="own bigint")
    answer = type(dbt.engine._read_tables("show tables in `a` like '*'"))
    dbt.engine._read_columns = lambda sql: answer([list(row) for row in rows])  # type: ignore[method-assign]
    job = {"reads": {"tables": list(tables)}, "bindings": {F: {"version": 7}, D: {"version": None}}}
    return dbt("_describe_tables", job), dbt


def test_at_once() -> None:
    rows = [("mview:0", "int"), ("id", "bigint"), ("a, b", "int"), ("mview:1", "int"), ("k", "int")]
    found, dbt = described(rows, F, D)
    assert [column["name"] for column in found[F]] == ["id", "a, b"]
    assert found[D] == [{"name": "k", "type": "int", "expression": "`k`"}]
    assert dbt.engine.sql("read_columns").endswith(
        "describe query\nselect 1 as `mview:0`, t0.*, 1 as `mview:1`, t1.*\nfrom"
        " `spark_catalog`.`shop`.`facts` version as of 7 as t0, `spark_catalog`.`shop`.`dims` as t1"
    )


def test_no_table() -> None:
    assert described([])[0] == {}


def test_one_by_one() -> None:
    """Where a column has the name of a mark, or a type is cut."""
    like = [("mview:0", "int"), ("mview:1", "int"), ("mview:1", "int"), ("k", "int")]
    cut = [("mview:0", "int"), ("s", "struct<a:int,... 3 more fields>"), ("mview:1", "int")]
    for rows in (like, cut):
        found, dbt = described(rows, F, D)
        assert [column["name"] for column in found[F]] == ["own"]
        assert "read_describe_query" in dbt.engine.steps
