"""One version per source."""

from __future__ import annotations

from typing import Any

from ...kit.engine import Engine, delta, micros
from ...kit.harness import Dbt, Model

NAME = "spark_catalog.shop.a"


def engine() -> Engine:
    found = Engine()
    found.tables[NAME] = delta(10, 20, 30)
    return found


def pin(version: int, minute: float) -> dict[str, Any]:
    return {"relation": NAME, "table_id": None, "version": version, "commit_time": micros(minute)}


def test_pinned_once_per_run() -> None:
    world = engine()
    dbt = Dbt(world)
    spec, job = {"read_consistency": "run"}, {"reads": {"tables": [NAME]}, "unbound": []}
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    world.tables[NAME].commit(31, "WRITE", 1, None)
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    assert dbt("_pinned_sources", spec, job, latest=True) == [pin(3, 31)]
    assert dbt("_pinned_sources", {"read_consistency": "latest"}, job) == [pin(3, 31)]
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)], "the run's snapshot stays"


def test_what_is_not_bound_has_no_version() -> None:
    job = {"reads": {"tables": [NAME]}, "unbound": [NAME]}
    (found,) = Dbt(engine())("_pinned_sources", {"read_consistency": "run"}, job)
    assert found == {**pin(2, 30), "version": None, "commit_time": None}


def test_run_start() -> None:
    source = Model("Orders", schema="Shop", materialized="table")
    dbt = Dbt(None, Model(), source)
    assert dbt("_run_start", "spark_catalog.shop.other") == micros(720)
    assert dbt("_run_start", "spark_catalog.shop.orders") is None


def test_what_this_run_builds_is_pinned_as_built() -> None:
    """A view that reads it without ref() may come before it."""
    world = engine()
    dbt = Dbt(world, Model(), Model("a", materialized="table"))
    spec, job = {"read_consistency": "run"}, {"reads": {"tables": [NAME]}, "unbound": []}
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    world.tables[NAME].commit(31, "WRITE", 1, None)
    assert dbt("_pinned_sources", spec, job) == [pin(3, 31)]


def test_a_group_reads_one_version_of_what_is_built_in_the_run() -> None:
    world = engine()
    dbt = Dbt(world, Model(), Model("a", materialized="table"))
    spec = {"read_consistency": "run", "refresh_group": "sales"}
    job = {"reads": {"tables": [NAME]}, "unbound": []}
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    world.tables[NAME].commit(31, "WRITE", 1, None)
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    assert dbt("_pinned_sources", {**spec, "refresh_group": "others"}, job) == [pin(3, 31)]
    assert dbt("_pinned_sources", spec, job, latest=True) == [pin(3, 31)]
