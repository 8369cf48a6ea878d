"""How many rows a source has."""

from __future__ import annotations

from ..engine import delta
from ..harness import Dbt

NAME = "spark_catalog.shop.orders"


def test_rows_are_counted_once_for_all_views() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].size = 7
    assert [dbt("_rows_at", NAME, 3), dbt("_rows_at", NAME, 3)] == [7, 7]
    assert dbt.engine.steps.count("read_count") == 1
    dbt("_rows_at", NAME, 4)
    assert dbt.engine.steps.count("read_count") == 2
