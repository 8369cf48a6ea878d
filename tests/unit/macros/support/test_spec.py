"""What a view is, from its model."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, Model


def spec(full_refresh: bool = False, **config: Any) -> Any:
    model = Model(sql="select 1 as n ; -- end", description="Totals.", config=config)
    return Dbt(None, model, full_refresh=full_refresh)("_spec_from_model")


def test_without_configs() -> None:
    found = spec()
    assert found["definition"] == "select 1 as n"
    assert (found["mview_id"], found["name"]) == ("spark_catalog.shop.totals", "`shop`.`totals`")
    expected = {
        "refresh": "auto",
        "unique_key": [],
        "audit": [],
        "on_configuration_change": "apply",
        "on_schema_change": "sync_all_columns",
        "read_consistency": "run",
        "build": "immediate",
        "full_refresh": False,
        "contract": False,
        "description": None,
        "asked": False,
    }
    assert {key: found[key] for key in expected} == expected


def test_with_configs() -> None:
    found = spec(
        full_refresh=True,
        refresh="full",
        unique_key="n",
        audit=["n > 0", "count(*) > 0"],
        on_configuration_change="FAIL",
        on_schema_change="fail",
        read_consistency="latest",
        build="deferred",
        contract={"enforced": True},
        persist_docs={"relation": True},
    )
    expected = {
        "refresh": "complete",
        "unique_key": ["n"],
        "audit": ["n > 0", "count(*) > 0"],
        "on_configuration_change": "fail",
        "on_schema_change": "fail",
        "read_consistency": "latest",
        "build": "deferred",
        "full_refresh": True,
        "contract": True,
        "description": "Totals.",
    }
    assert {key: found[key] for key in expected} == expected
    assert found["stored"]["audit"] == ["n > 0", "count(*) > 0"]


@pytest.mark.parametrize("key", ["on_configuration_change", "read_consistency", "build", "refresh"])
def test_unknown_values_are_refused(key: str) -> None:
    with pytest.raises(DbtError, match=f"shop.totals: {key} is 'perhaps'. Use one of: "):
        spec(**{key: "perhaps"})
