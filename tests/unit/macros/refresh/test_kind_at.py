"""What stands under a name in any catalog."""

from __future__ import annotations

from ...kit.engine import delta
from ...kit.harness import Dbt


def test_other_catalogs_are_asked_whether_it_can_be_read() -> None:
    dbt = Dbt()
    assert dbt("_kind_at", "spark_catalog.shop.orders") == "missing"
    assert "read_is_there" not in dbt.engine.steps
    assert dbt("_kind_at", "lake.shop.orders") == "missing"
    dbt.engine.tables["lake.shop.orders"] = delta(1)
    assert dbt("_kind_at", "lake.shop.orders") == "delta"
    assert "select 1 from `lake`.`shop`.`orders` where false" in dbt.engine.sql("read_is_there")
