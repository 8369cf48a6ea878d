"""What `dbt run --select` takes."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt, DbtError, Model
from ...kit.scenes import VIEW


def test_a_model_is_not_called_as_its_table() -> None:
    dbt = Dbt(None, Model("daily", config={"alias": "totals"}))
    assert dbt("_model_name", VIEW) == "daily"
    assert dbt("_model_name", "spark_catalog.shop.gone") == "gone"


def test_one_of_several_versions() -> None:
    dbt = Dbt(None, Model("dim", config={"alias": "dim_v1"}))
    dbt.context["graph"]["nodes"]["model.shop.dim"]["version"] = 1
    assert dbt("_model_name", "spark_catalog.shop.dim_v1") == "dim.v1"


def test_the_way_out_names_it() -> None:
    dbt = Dbt(None, Model("daily", config={"alias": "totals"}))
    dbt.engine.built_state()
    with pytest.raises(DbtError, match="Build the view once with `dbt run --select daily`"):
        dbt.operation("mview_explain", view="totals")
