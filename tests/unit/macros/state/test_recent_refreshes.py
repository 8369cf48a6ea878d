"""The last refreshes of a view, as AUTO learns from them."""

from __future__ import annotations

from ..harness import Dbt, Model
from ..parsing import parse


def test_recent_refreshes_are_read_once_for_all_views_of_the_run() -> None:
    dbt = Dbt(None, Model("v"), Model("w"))
    ids = ["spark_catalog.shop.v", "spark_catalog.shop.w"]
    dbt.engine.history = [[ids[1], 2], [ids[1], 1]]
    assert [list(row) for row in dbt("_recent_refreshes", ids[1])] == [[ids[1], 2], [ids[1], 1]]
    assert dbt("_recent_refreshes", ids[0]) == []
    assert dbt.engine.steps.count("read_history") == 1
    sql = dbt.engine.sql("read_history")
    assert all(f"'{view}'" in sql for view in ids) and "nth <= 20" in sql
    assert parse(sql)


def test_recent_refreshes_of_an_operation() -> None:
    dbt = Dbt(None, Model("log", materialized="materialized_view_log"))
    assert dbt("_recent_refreshes", "c.s.v") == []
    assert "where mview_id in ('c.s.v')" in dbt.engine.sql("read_history")
