"""The parts of a spec: its names, what state keeps of it, and back from state."""

from __future__ import annotations

import json

import pytest

from ...kit.harness import Dbt, DbtError, Model, Relation


@pytest.mark.parametrize("name", ["totals", "Totals_2", "_x", "9lives", "select", "a" * 200])
def test_names_that_the_catalog_can_hold(name: str) -> None:
    spec = Dbt()("_spec_of_relation", Relation(None, "shop", name))
    assert spec["identifier"] == name
    assert spec["mview_id"] == f"spark_catalog.shop.{name.lower()}"


@pytest.mark.parametrize(
    "name",
    ["a b", "a.b", "it's", "a`b", "a-b", "ünï", "a\n", "", "a;drop table x", "a" * 256, "$mlog$t"],
)
def test_names_that_it_cannot(name: str) -> None:
    with pytest.raises(DbtError, match="cannot be the name of a view"):
        Dbt()("_spec_of_relation", Relation(None, "shop", name))


def test_from_a_relation() -> None:
    spec = Dbt()("_spec_of_relation", Relation(None, "Shop", "Totals"))
    assert spec == {
        "mview_id": "spark_catalog.shop.totals",
        "name": "`Shop`.`Totals`",
        "rendered": "Shop.Totals",
        "schema": "Shop",
        "identifier": "Totals",
        "database": None,
        "namespace": "spark_catalog.default",
        "contract": False,
        "asked": False,
        "full_refresh": False,
        "description": None,
        "documented": {},
        "refresh_group": None,
    }


def test_names_without_a_catalog_are_looked_up_in_that_of_the_target() -> None:
    """Wherever the view itself is."""
    spec = Dbt(catalog="main")("_spec_of_relation", Relation("other", "shop", "totals"))
    assert (spec["mview_id"], spec["namespace"]) == ("other.shop.totals", "main.default")


def test_a_spec_survives_state() -> None:
    """Refreshing without the model makes the same table as the model does."""
    model = Model(
        description="Totals.",
        config={
            "partition_by": ["day"],
            "audit": ["n > 0"],
            "unique_key": ["n"],
            "tblproperties": {"a": "b"},
            "on_schema_change": "fail",
            "persist_docs": {"relation": True},
        },
    )
    dbt = Dbt(None, model)
    spec = dbt("_spec_from_model")
    stored = json.loads(json.dumps(spec["stored"]))
    assert stored["project"] == "shop" and stored["target"] == "dev"
    state = {"spec": stored, "definition": spec["definition"]}
    again = dbt("_spec_from_state", Relation(None, "shop", "totals"), state)
    assert again["stored"] == stored
    for key in ("definition", "layout", "audit", "unique_key", "name", "description", "mview_id"):
        assert again[key] == spec[key], key
    assert again["on_schema_change"] == "fail" and again["read_consistency"] == "run"
