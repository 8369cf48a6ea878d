"""Views that cast their tables' columns to what these were."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

V = "spark_catalog.shop.v"


@pytest.mark.parametrize(
    ("made", "now", "fine"),
    [
        ("bigint", "bigint", True),
        ("bigint", "decimal(20,2)", False),
        ("varchar(9)", "string", True),
        ("struct<a:int,... 9 more fields>", "struct<a:int,b:int>", True),
        ("string", "bigint", False),
    ],
)
def test_view_casts(made: str, now: str, fine: bool) -> None:
    dbt = Dbt()
    sql = "select K, total as t from shop.facts"
    dbt.engine.described[sql] = [("K", "int"), ("t", now)]
    columns = [{"name": "k", "type": "int", "source": "k"}]
    columns.append({"name": "total", "type": made, "source": "t"})
    view = {"kind": "view", "text": sql, "namespace": "spark_catalog.shop", "columns": columns}
    bindings: dict[str, Any] = {"spark_catalog.shop.x": {"kind": "table", "version": 1}}
    bindings.update({V: view, "spark_catalog.shop.w": None})
    reason = f"SCHEMA_CHANGED: the view shop.v was made when total was {made}"
    assert dbt("_view_casts", bindings) == (None if fine else reason)
