"""What a view and its refresh are, as mappings."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from ..kit.harness import INVOCATION, Dbt, DbtError, Model, Relation
from ..kit.records import as_spec
from ..kit.scenes import VIEW, lock, new

# What a view is, from its model.


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


# The parts of a spec: its names, what state keeps of it, and back from state.


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
    names = {
        "mview_id": "spark_catalog.shop.totals",
        "name": "`Shop`.`Totals`",
        "rendered": "Shop.Totals",
        "schema": "Shop",
        "identifier": "Totals",
        "database": None,
        "namespace": "spark_catalog.default",
    }
    assert spec == as_spec(names)


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


# A refresh that begins.


SPEC = as_spec({"mview_id": VIEW})


def test_ids() -> None:
    """One job per view and invocation, whoever computes it."""
    job = Dbt()("_job", SPEC, "model.x")
    assert job["id"] == hashlib.md5((INVOCATION + VIEW).encode()).hexdigest()
    assert (job["owner"], job["unique_id"], job["token"]) == (INVOCATION, "model.x", None)


def test_the_row_of_the_start_of_the_run_is_enough() -> None:
    dbt = new()
    dbt("_on_run_start")
    dbt.engine.forget()
    assert dbt("_job", SPEC, "model.x")["state"] is None
    assert dbt.engine.log == []


def test_a_row_with_a_lock_is_read_again() -> None:
    dbt = new()
    lock(dbt)
    dbt("_on_run_start")
    dbt.engine.state(VIEW, lock_owner=None)
    assert dbt("_job", SPEC, "model.x")["state"]["lock_owner"] is None


def test_known_to_the_end_of_the_run() -> None:
    dbt = Dbt()
    job = dbt("_job", SPEC, "model.x", dry_run=True, record_now=True)
    assert dbt("_memory")["jobs"] == {"model.x": job}
    assert (job["dry_run"], job["record_now"], job["force"]) == (True, True, False)


def test_now_micros() -> None:
    assert Dbt()("_now_micros") == 1709294400000000


def test_another_refresh_in_the_same_invocation() -> None:
    """As by mview_refresh in a hook: history holds both, nobody takes the first for this one."""
    dbt = Dbt()
    ids = [dbt("_job", SPEC, "model.x")["id"] for _ in range(3)]
    assert len(set(ids)) == 3
    assert dbt("_job", {"mview_id": "other"}, "model.y")["id"] not in ids


def test_the_second_of_one_view_is_not_the_first_of_another() -> None:
    dbt = Dbt()
    ids = [
        dbt("_job", {"mview_id": name}, name)["id"] for name in ("c.s.orders", "c.s.orders1") * 2
    ]
    assert len(set(ids)) == 4
