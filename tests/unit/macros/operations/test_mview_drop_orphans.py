"""mview_drop_orphans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...kit.engine import Commit, Delta, delta, micros
from ...kit.harness import Dbt, Model
from ...kit.log_scenes import LOG, logged
from ...kit.scenes import VIEW, again, built, lock

GONE = "spark_catalog.shop.gone"
DEAD = "dead" * 8
STAGE = f"spark_catalog.shop_mview.mview_stage_{DEAD}"


def project() -> Dbt:
    """A view whose model is there, one whose model is gone, one of another target."""
    dbt = built()
    spec = {"project": "shop", "target": "dev", "target_schema": "shop", "schema": "shop"}
    spec |= {"identifier": "gone"}
    dbt.engine.state(GONE, spec=spec, target_version=0)
    meta = json.dumps({"dbt_mview": {"mview_id": GONE}})
    dbt.engine.tables[GONE] = Delta([Commit(0, 1, meta=meta)])
    foreign = {**spec, "target": "prod", "identifier": "prod"}
    dbt.engine.state("spark_catalog.shop.prod", spec=foreign)
    dbt.engine.tables["spark_catalog.shop.prod"] = delta(1)
    dbt.engine.state("spark_catalog.shop.lost", spec={**foreign, "identifier": "lost"})
    dbt.engine.tables[STAGE] = delta(1)
    return dbt


def test_orphans() -> None:
    dbt = project()
    assert dbt.operation("mview_drop_orphans") == [
        f"{GONE}: dropped",
        "spark_catalog.shop.lost: dropped",
    ]
    assert set(dbt.engine.states) == {VIEW, "spark_catalog.shop.prod"}
    assert GONE not in dbt.engine.tables and "spark_catalog.shop.prod" in dbt.engine.tables
    assert STAGE not in dbt.engine.tables


def test_dry_run() -> None:
    dbt = project()
    before = set(dbt.engine.tables), set(dbt.engine.states)
    printed = dbt.operation("mview_drop_orphans", dry_run=True)
    assert len(printed) == 6 and all(line.endswith(";") for line in printed)
    assert (set(dbt.engine.tables), set(dbt.engine.states)) == before


def test_what_runs_is_no_orphan() -> None:
    dbt = project()
    lock(dbt, refresh_job_id=DEAD)
    dbt.engine.state(GONE, lock_owner="x", lease_until=micros(9999), refresh_job_id="y")
    dbt.operation("mview_drop_orphans")
    assert GONE in dbt.engine.tables
    assert STAGE in dbt.engine.tables


def test_what_was_decided_is_no_orphan() -> None:
    """A stage that the next run publishes from, whoever tried to recover it in between."""
    dbt = project()
    decided = {"redo": {"publish": "insert"}}
    lock(dbt, refresh_job_id=DEAD, lease_until=micros(0), intent=decided)
    dbt.operation("mview_drop_orphans")
    assert STAGE in dbt.engine.tables
    lock(dbt, refresh_job_id="y", intent={"holder": {"job_id": DEAD, "intent": decided}})
    dbt.operation("mview_drop_orphans")
    assert STAGE in dbt.engine.tables
    lock(dbt, refresh_job_id=DEAD, lease_until=micros(0), intent={})
    dbt.operation("mview_drop_orphans")
    assert STAGE not in dbt.engine.tables


def test_a_table_that_looks_like_a_stage_stays() -> None:
    dbt = project()
    dbt.engine.tables["spark_catalog.shop_mview.mview_stage_of_ann"] = delta(1)
    dbt.operation("mview_drop_orphans")
    assert "spark_catalog.shop_mview.mview_stage_of_ann" in dbt.engine.tables
    assert not [one for one in dbt.engine.log if "`mview_stage_ann`" in one.sql]


def test_a_stage_that_is_begun_meanwhile_stays() -> None:
    """Its lock is taken after the locks were read, and its stage built after that."""
    dbt = project()
    del dbt.engine.tables[STAGE]
    dbt.engine.on["read_state"] = lambda sql: dbt.engine.tables.update({STAGE: delta(1)})
    dbt.operation("mview_drop_orphans")
    assert STAGE in dbt.engine.tables


def test_no_models_at_all() -> None:
    """Another project with the same state must not lose its views."""
    dbt = project()
    dbt.context["project_name"] = "another"
    dbt.context["graph"]["nodes"] = {}
    dbt.operation("mview_drop_orphans")
    assert VIEW in dbt.engine.tables and GONE in dbt.engine.tables
    assert Model().unique_id not in dbt.context["graph"]["nodes"]


@pytest.mark.parametrize("differs", [{"target_schema": "shop_of_bob"}, {"target_schema": None}])
def test_what_another_schema_of_the_same_target_built_is_no_orphan(differs: Any) -> None:
    """Developers, and pull requests, that share a state schema."""
    dbt = project()
    dbt.engine.states[GONE]["spec"] |= differs
    dbt.operation("mview_drop_orphans")
    assert GONE in dbt.engine.tables and GONE in dbt.engine.states


@pytest.mark.parametrize("materialized", ["table", "incremental", "view"])
def test_a_view_that_became_another_kind_of_model(materialized: str) -> None:
    """Its row goes, once the model has run; its table is that of a live model."""
    dbt = again(built(), Model(materialized=materialized))
    dbt.operation("mview_drop_orphans")
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states, "not yet run"
    dbt.engine.tables[VIEW].commit(99, "MERGE")
    assert dbt.operation("mview_drop_orphans") == [f"{VIEW}: forgotten, what has its name stays"]
    assert VIEW in dbt.engine.tables and VIEW not in dbt.engine.states


def test_a_view_that_became_ephemeral() -> None:
    """Such a model never builds what could take the place of the view's table."""
    dbt = again(built(), Model(materialized="ephemeral"))
    assert dbt.operation("mview_drop_orphans") == [f"{VIEW}: dropped"]
    assert VIEW not in dbt.engine.tables and VIEW not in dbt.engine.states


def test_a_view_under_another_name_of_the_materialization_is_no_orphan() -> None:
    dbt = again(built(), Model(materialized="materialized_view"))
    dbt.engine.tables[VIEW].commit(99, "MERGE")
    dbt.operation("mview_drop_orphans")
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states


def test_a_log_that_is_gone_is_forgotten() -> None:
    dbt = logged(1)
    dbt.context["graph"]["nodes"] = {}
    assert dbt.operation("mview_drop_orphans") == []
    del dbt.engine.tables[LOG]
    assert dbt.operation("mview_drop_orphans") == [f"{LOG}: forgotten"]
