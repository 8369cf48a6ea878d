"""The statement that creates a state table."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.parsing import parse


def test_create_state(golden: Callable[[str, str], None]) -> None:
    columns = Dbt()("_state_layout")["tables"]["mview_refresh_hist"]
    sql = Dbt()("_create_state_sql", "mview_refresh_hist", columns, 1).strip()
    golden("create_state", sql)
    assert "partitioned by (mview_id)" in sql, "so that different views never conflict"
    assert parse(sql)


def test_tables_of_logs() -> None:
    columns = Dbt()("_state_layout")["tables"]["mlog_purge_info"]
    sql = Dbt()("_create_state_sql", "mlog_purge_info", columns, 1)
    assert "partitioned by (mlog_id)" in sql, "so that different logs never conflict"
    assert parse(sql.strip())


@pytest.mark.parametrize("table", ["mview_refresh_info", "mlog_purge_info"])
def test_what_is_due_is_found_by_statistics(table: str) -> None:
    """Each view has a file: without them, ten thousand are read."""
    sql = Dbt()("_create_state_sql", table, Dbt()("_state_layout")["tables"][table], 1)
    kept = re.findall(r"'delta.dataSkippingStatsColumns' = '(.*)'", sql)[0].split(",")
    asked = re.findall(r"\w+(?= is not null| is null| <=?)", Dbt()("_may_be_due_sql"))
    assert len(set(asked)) == 5 and set(asked) <= set(kept)
