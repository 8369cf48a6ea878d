"""What a table's detail says."""

from __future__ import annotations

from ...kit.engine import delta
from ...kit.harness import Dbt


def test_of_a_delta_table() -> None:
    dbt = Dbt()
    table = dbt.engine.tables["spark_catalog.shop.orders"] = delta(1, 2)
    table.comment = "about"
    row = dbt("_delta_detail", "`spark_catalog`.`shop`.`orders`")
    assert (row["id"], row["description"], row["numFiles"]) == (table.id, "about", 2)
    assert dbt.engine.steps == ["read_describe_detail"]
