"""mview_models."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...kit.engine import Foreign, delta, micros
from ...kit.harness import Dbt, DbtError, Model
from ...kit.log_scenes import LOG, log_model, started
from ...kit.scenes import MEMBER_IDS, MEMBERS, SOURCE, VIEW, built, new

VIEWS = "spark_catalog.shop_mview.mview_refresh_info"


def models(dbt: Dbt) -> dict[str, Any]:
    """What the one line says."""
    (line,) = dbt.operation("mview_models")
    found: dict[str, Any] = json.loads(line.removeprefix("models: "))
    return found


def test_of_the_project() -> None:
    found = models(new(variables={"dbt_mview:broken_after": 4, "dbt_mview:lease_seconds": 60}))
    assert {key: found[key] for key in ("project", "target", "broken_after", "lease")} == {
        "project": "shop", "target": "dev", "broken_after": 4, "lease": 60,
    }  # fmt: skip
    assert (found["clock"], found["method"]) == (micros(720), "thrift")
    views = {"name": VIEWS, "location": "file:/warehouse/mview_refresh_info"}
    assert found["tables"] == {"views": views, "logs": None}
    assert (found["took"], found["sources"], found["locations"]) == ({}, {}, {})


def test_models() -> None:
    given = {"priority": 5, "pool": "big", "timeout": "30 minutes"}
    totals = Model(config={"meta": {"dbt_mview": given}})
    table = Model("plain", materialized="table")
    dbt = Dbt(started().engine, totals, log_model(), table)
    found = models(dbt)
    common = {"group": None, "parents": [], "priority": 3, "pool": None, "timeout": None}
    special = {"priority": 5, "pool": "big", "timeout": 1800}
    assert found["models"] == [
        {
            **common,
            **special,
            "id": VIEW,
            "node": totals.unique_id,
            "kind": "view",
            "select": "shop.totals",
        },
        {
            **common,
            "id": LOG,
            "node": log_model().unique_id,
            "kind": "log",
            "select": "shop.orders_log",
        },
    ]
    assert found["tables"]["logs"]["location"] == "file:/warehouse/mlog_purge_info"


def test_members_are_selected_as_their_group() -> None:
    found = models(Dbt(new().engine, *MEMBERS))["models"]
    assert [model["id"] for model in found] == list(MEMBER_IDS)
    assert {(model["group"], model["select"]) for model in found} == {
        ("sales", "config.refresh_group:sales")
    }


def test_what_state_knows() -> None:
    """Sources of what waits for a change alone, each asked once for its place."""
    dbt = built()
    read = [
        {"relation": SOURCE, "table_id": "t-1", "version": 2, "commit_time": 5},
        {"relation": "spark_catalog.shop.gone", "version": 7},
        {"relation": "spark_catalog.shop.files", "version": None},
    ]
    dbt.engine.tables["spark_catalog.shop.files"] = Foreign()
    waits = {"schedule": {"on_update": True, "at_most_every": None}, "sources": read}
    dbt.engine.states[VIEW].update(waits, spec={"took": {"last": [["fast", 3, 1.25], ["x", 0, 9]]}})
    others = {"spark_catalog.shop.b": {"target_lag": 60}, "other.s.v": {"on_update": True}}
    for id_, schedule in others.items():
        dbt.engine.state(id_, sources=read[:1], schedule=schedule)
    found = models(Dbt(dbt.engine, Model(), Model("b")))
    assert found["took"] == {VIEW: 1.25}
    assert found["sources"] == {
        VIEW: [{"relation": one["relation"], "version": one["version"]} for one in read],
        "spark_catalog.shop.b": [{"relation": SOURCE, "version": 2}],
    }
    assert found["locations"] == {
        SOURCE: "file:/warehouse/orders",
        "spark_catalog.shop.gone": None,
        "spark_catalog.shop.files": None,
    }
    asked = [one.sql for one in dbt.engine.log if one.step == "read_describe_detail"]
    assert len(asked) == 2, "the table of state and the one source"


def test_what_waits_for_nothing_has_no_sources() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["schedule"] = {"every": 60}
    assert models(dbt)["sources"] == {}


def test_a_table_of_another_catalog_that_is_no_delta_table() -> None:
    dbt = built()
    dbt.engine.tables["lake.shop.t"] = Foreign("iceberg")
    dbt.engine.tables["lake.shop.d"] = delta(1)
    assert dbt("_location_of", "lake.shop.t") is None
    assert dbt("_location_of", "lake.shop.d") == "file:/warehouse/d"


def test_a_bad_config_names_its_model() -> None:
    dbt = new(Model(config={"meta": {"dbt_mview": {"priority": 6}}}))
    with pytest.raises(DbtError, match=rf"{VIEW}: meta\.dbt_mview\.priority is 6\."):
        models(dbt)


def test_only_reads() -> None:
    dbt = built()
    models(dbt)
    assert dbt.engine.writes == []


def test_dry_run_without_state() -> None:
    dbt = Dbt()
    *created, line = dbt.operation("mview_models", dry_run=True)
    assert dbt.engine.writes == [] and created
    assert json.loads(line.removeprefix("models: "))["tables"] == {"views": None, "logs": None}
