"""The statement that creates a state table."""

from __future__ import annotations

from collections.abc import Callable

from ..harness import Dbt
from ..parsing import parse


def test_create_state(golden: Callable[[str, str], None]) -> None:
    columns = Dbt()("_state_layout")["tables"]["mview_refresh_hist"]
    sql = Dbt()("_create_state_sql", "mview_refresh_hist", columns, 1).strip()
    golden("create_state", sql)
    assert "partitioned by (mview_id)" in sql, "so that different views never conflict"
    assert parse(sql)
