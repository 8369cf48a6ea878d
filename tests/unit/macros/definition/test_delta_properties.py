"""What a table's properties say."""

from __future__ import annotations

from ..engine import FEED, Foreign, delta
from ..harness import Dbt

NAME = "spark_catalog.shop.orders"
QUOTED = "`spark_catalog`.`shop`.`orders`"


def test_of_a_delta_table() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].properties = dict(FEED)
    assert FEED.items() <= dbt("_delta_properties", QUOTED).items()
    assert dbt.engine.steps == ["read_properties"]


def test_another_table_has_none() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    assert dbt("_delta_properties", QUOTED) is None
