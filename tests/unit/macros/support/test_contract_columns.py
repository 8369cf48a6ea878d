"""The columns of an enforced contract."""

from __future__ import annotations

from ...kit.engine import Engine
from ...kit.harness import Dbt, Model

SPEC = {"mview_id": "spark_catalog.shop.totals", "definition": "select 1"}


def test_columns_of_a_contract() -> None:
    dbt = Dbt(Engine(), Model(columns={"B": {}, "a": {}}))
    columns = [{"name": "A"}, {"name": "b"}]
    assert dbt("_contract_columns", SPEC, columns) == [{"name": "b"}, {"name": "A"}]
    assert dbt.engine.steps == ["contract"]
