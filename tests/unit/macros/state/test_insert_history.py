"""History rows, each at most once."""

from __future__ import annotations

from collections.abc import Callable

from ...kit.harness import Dbt
from ...kit.parsing import parse
from ...kit.rows import outcome


def test_insert_history(golden: Callable[[str, str], None]) -> None:
    dbt = Dbt()
    rows = [
        outcome(dbt),
        dbt("_outcome", "v2", "j2", "o", None, "failed", None, failed_reason="no"),
    ]
    sql = dbt("_insert_history_sql", rows).strip()
    golden("insert_history", sql)
    assert parse(sql)
    assert "where mview_id in ('plain', 'v2')" in sql, "literals, so that only their files are read"
