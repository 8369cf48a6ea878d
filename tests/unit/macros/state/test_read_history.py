"""The last rows of mview_refresh_hist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.parsing import parse


def test_read_history(golden: Callable[[str, str], None]) -> None:
    sql = Dbt()("_read_history_sql", ["a'b"], 5).strip()
    golden("read_history", sql)
    assert parse(sql)
    assert "where" not in Dbt()("_read_history_sql", None, 5)


@pytest.mark.parametrize(
    ("limit", "end"), [(5, "limit 5"), ("7", "limit 7"), ("1; drop", "limit 0")]
)
def test_limit(limit: Any, end: str) -> None:
    assert Dbt()("_read_history_sql", None, limit).strip().endswith(end)


def test_rows() -> None:
    dbt = Dbt()
    dbt.engine.history = [[1, 2]]
    assert [list(row) for row in dbt("_read_history", None, 1).rows] == [[1, 2]]
